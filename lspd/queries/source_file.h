// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_SOURCE_FILE_H_
#define LSPD_QUERIES_SOURCE_FILE_H_

#include <string>
#include <utility>

#include "lspd/protocol/text_position.h"
#include "lspd/workspace/root_directory.h"

namespace banyan::lspd {

// One file as it was read once: its bytes, their hash, its lines.
class SourceFile {
 public:
  SourceFile(std::string relative_path, FileContent content)
      : relative_path_(std::move(relative_path)),
        content_(std::move(content)),
        lines_(content_.bytes) {}

  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  const std::string& relative_path() const { return relative_path_; }
  const std::string& hash() const { return content_.hash; }
  const FileState& state() const { return content_.state; }
  const LineIndex& lines() const { return lines_; }

  // Where servers know the file: relative to the root, links resolved.
  const std::string& real_path() const { return content_.real_path; }

 private:
  const std::string relative_path_;
  const FileContent content_;
  const LineIndex lines_;
};

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_SOURCE_FILE_H_
