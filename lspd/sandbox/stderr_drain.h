// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SANDBOX_STDERR_DRAIN_H_
#define LSPD_SANDBOX_STDERR_DRAIN_H_

#include <map>
#include <memory>

#include "lspd/transport/file_descriptor.h"
#include "lspd/transport/output_ring.h"

namespace banyan::lspd {

// Keeps many pipes empty, each into its own ring, so that no server ever waits
// for somebody to read what it complains about. For one thread.
class StderrDrain {
 public:
  StderrDrain();

  // Readable when DrainReady() has something to do.
  int descriptor() const { return poller_.get(); }

  // The pipe is closed when its last writer has closed it.
  void Add(FileDescriptor pipe, std::shared_ptr<OutputRing> ring);

  void DrainReady();

  // What one ring's pipe holds by now.
  void DrainInto(const OutputRing& ring);

 private:
  struct Source {
    FileDescriptor pipe;
    std::shared_ptr<OutputRing> ring;
  };

  void Drain(int fd);

  FileDescriptor poller_;  // An epoll of all pipes.
  std::map<int, Source> sources_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SANDBOX_STDERR_DRAIN_H_
