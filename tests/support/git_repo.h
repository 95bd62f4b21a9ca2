// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_GIT_REPO_H_
#define TESTS_SUPPORT_GIT_REPO_H_

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace banyan {

// What a shell command prints in a folder. Text of the test itself only.
inline std::string Shell(const std::string& folder,
                         const std::string& command) {
  const std::string line =
      absl::StrCat("cd '", folder, "' && { ", command, "; } 2>/dev/null");
  std::string output;
  FILE* const pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), got);
  }
  ::pclose(pipe);
  return output;
}

// git as somebody, without the configuration of whoever runs the tests.
inline std::string Git(const std::string& folder,
                       const std::string& arguments) {
  return Shell(folder,
               absl::StrCat("GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "
                            "git -c user.name=t -c user.email=t@localhost "
                            "-c core.excludesFile=/dev/null "
                            "-c init.defaultBranch=main ",
                            arguments));
}

// What a command prints with -z, as a sorted list needs no quoting.
inline std::vector<std::string> SplitNul(absl::string_view output) {
  return absl::StrSplit(output, '\0', absl::SkipEmpty());
}

}  // namespace banyan

#endif  // TESTS_SUPPORT_GIT_REPO_H_
