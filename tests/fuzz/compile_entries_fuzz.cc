// SPDX-License-Identifier: Apache-2.0
//
// Whatever a project calls its compile database, deep or broken.

#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lspd/server/compile_entries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace banyan::lspd;  // NOLINT: a fuzzer of one namespace.
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<CompileEntry> entries;
  (void)ReadCompileEntries(text, [&entries](CompileEntry entry) {
    entries.push_back(std::move(entry));
  });
  // What is written is read again.
  for (const CompileEntry& entry : entries) {
    int read = 0;
    const bool is_list =
        ReadCompileEntries(absl::StrCat("[", ToJsonText(entry), "]"),
                           [&read](CompileEntry) { ++read; });
    if (!is_list || read != 1) std::abort();
  }
  return 0;
}
