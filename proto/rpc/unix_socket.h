// SPDX-License-Identifier: Apache-2.0
#ifndef PROTO_RPC_UNIX_SOCKET_H_
#define PROTO_RPC_UNIX_SOCKET_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

// How daemons of one machine find each other, and how the kernel keeps every
// other user out: by the mode of the socket and of its folder. What they take
// over gRPC they believe, so on a TCP port each local user could be anybody.
namespace banyan::rpc {

// Where a daemon listens unless it is told otherwise, and where the others look
// for it: "unix:" and a file in `run` of DefaultDataDir().
std::string DefaultSocket(absl::string_view daemon);

// Before somebody listens on "unix:PATH"; any other address is left alone. Makes
// the folder (mode 0700) if there is none.
//   kUnavailable       another process serves there, whose place would be taken
//   kPermissionDenied  the folder cannot be made
absl::Status PrepareSocket(const std::string& address);

// While it lives, files and sockets that this process makes are its user's
// alone. Of the whole process: for the start, before other threads make files.
class OwnerOnlyFiles {
 public:
  OwnerOnlyFiles();
  ~OwnerOnlyFiles();

  OwnerOnlyFiles(const OwnerOnlyFiles&) = delete;
  OwnerOnlyFiles& operator=(const OwnerOnlyFiles&) = delete;

 private:
  const mode_t before_;
};

}  // namespace banyan::rpc

#endif  // PROTO_RPC_UNIX_SOCKET_H_
