// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_LSPD_EDITS_TRANSACTION_FIXTURE_H_
#define TESTS_LSPD_EDITS_TRANSACTION_FIXTURE_H_

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "lspd/edits/draft.h"
#include "lspd/workspace/root_directory.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {

// A root whose files a transaction changes.
class TransactionFixture : public testing::Test {
 protected:
  TransactionFixture() : root_(*RootDirectory::Open(folder_.path(), {})) {}

  std::string Text(const std::string& path) const {
    std::ifstream file(folder_.PathOf(path), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : "(none)";
  }

  mode_t ModeOf(const std::string& path) const {
    struct stat info {};
    ::stat(folder_.PathOf(path).c_str(), &info);
    return info.st_mode & 07777;
  }

  static DraftChange Change(const std::string& path, const std::string& before,
                            const std::string& after) {
    return {.path = path, .before = before, .after = after};
  }

  // Files of transactions that are still to be judged.
  size_t Stages() const {
    size_t count = 0;
    const std::string edits = folder_.PathOf(".banyan/edits");
    if (!std::filesystem::exists(edits)) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(edits)) {
      if (entry.is_directory()) ++count;
    }
    return count;
  }

  TempWorkspace folder_;
  std::shared_ptr<RootDirectory> root_;
};

}  // namespace banyan::lspd

#endif  // TESTS_LSPD_EDITS_TRANSACTION_FIXTURE_H_
