// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_UNIQUE_FD_H_
#define LSPD_WORKSPACE_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace banyan::lspd {

// A file descriptor that closes itself. -1 is none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    Reset(other.Release());
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_UNIQUE_FD_H_
