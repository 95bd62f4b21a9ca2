// SPDX-License-Identifier: Apache-2.0
//
// No string makes a clean path that leaves the root or enters `.git`.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "sessiond/paths/path_policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr absl::string_view kRoot = "/srv/root";
  const absl::string_view path(reinterpret_cast<const char*>(data), size);
  const auto clean = banyan::sessiond::CleanPath(kRoot, path);
  if (!clean.ok() || clean->empty()) return 0;
  for (const absl::string_view part : absl::StrSplit(*clean, '/')) {
    if (part.empty() || part == "." || part == ".." ||
        absl::EqualsIgnoreCase(part, ".git")) {
      std::abort();
    }
  }
  if (!banyan::sessiond::IsBeneath(absl::StrCat(kRoot, "/", *clean), kRoot)) {
    std::abort();
  }
  // What is clean stays as it is.
  const auto again = banyan::sessiond::CleanPath(kRoot, *clean);
  if (!again.ok() || *again != *clean) std::abort();
  return 0;
}
