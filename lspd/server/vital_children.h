// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_VITAL_CHILDREN_H_
#define LSPD_SERVER_VITAL_CHILDREN_H_

#include <sys/types.h>

#include <set>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

// The descendants of a server without which it is no use. Not thread-safe.
class VitalChildren {
 public:
  // Looks for running descendants whose command line contains `mark`, and
  // remembers them. False as soon as one that was seen before has ended.
  bool AreAlive(pid_t server, absl::string_view mark);

 private:
  std::set<pid_t> seen_;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_VITAL_CHILDREN_H_
