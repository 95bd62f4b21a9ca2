// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_TEMP_WORKSPACE_H_
#define TESTS_SUPPORT_TEMP_WORKSPACE_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/string_view.h"

namespace banyan {

// A folder that is gone at the end of the test. Its path is canonical.
class TempWorkspace {
 public:
  TempWorkspace() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "banyan_test_XXXXXX")
            .string();
    path_ = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
  }
  ~TempWorkspace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempWorkspace(const TempWorkspace&) = delete;
  TempWorkspace& operator=(const TempWorkspace&) = delete;

  const std::string& path() const { return path_; }

  std::string PathOf(absl::string_view relative) const {
    return (std::filesystem::path(path_) / std::string(relative)).string();
  }

  // Makes parents.
  void Write(absl::string_view relative, absl::string_view content) const {
    const std::filesystem::path file(PathOf(relative));
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }

 private:
  std::string path_;
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_TEMP_WORKSPACE_H_
