// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_HTTP_TLS_CONTEXT_H_
#define EDGE_HTTP_TLS_CONTEXT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::edge {

// One connection's TLS, on a socket that does not block. The handshake happens
// inside the first calls. Thread-safe, one call at a time inside.
class TlsSession {
 public:
  enum class Outcome { kDone, kWantsRead, kWantsWrite, kEnd };

  virtual ~TlsSession() = default;

  // `count` is set when kDone.
  virtual Outcome Read(char* buffer, size_t size, size_t& count) = 0;
  virtual Outcome Write(absl::string_view bytes, size_t& count) = 0;

  // Tells the client that nothing more will come.
  virtual void EndWriting() = 0;
};

// A listener's certificate. Thread-safe.
class TlsContext {
 public:
  // PEM files: the certificate with its chain, and its key. TLS 1.2 and newer.
  //   kInvalidArgument  one cannot be read, or they do not belong together
  static absl::StatusOr<std::shared_ptr<TlsContext>> Load(
      const std::string& certificate_file, const std::string& key_file);

  virtual ~TlsContext() = default;

  // Null when there is no memory for it.
  virtual std::unique_ptr<TlsSession> Accept(int fd) = 0;
};

}  // namespace banyan::edge

#endif  // EDGE_HTTP_TLS_CONTEXT_H_
