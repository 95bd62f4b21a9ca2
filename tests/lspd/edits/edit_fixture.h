// SPDX-License-Identifier: Apache-2.0
//
// Edits of a real root whose language servers answer what a test says.
#ifndef TESTS_LSPD_EDITS_EDIT_FIXTURE_H_
#define TESTS_LSPD_EDITS_EDIT_FIXTURE_H_

#include <fstream>
#include <sstream>
#include <string>

#include "lspd/edits/apply_edit.h"
#include "lspd/workspace/shown_texts.h"
#include "tests/lspd/queries/fake_servers.h"

namespace banyan::lspd {

class EditTest : public QueryTest {
 protected:
  using Request = lsp::v1::ApplyEditRequest;
  using Response = lsp::v1::ApplyEditResponse;

  Editor EditorOf(const std::string& handle) const {
    Editor editor{.asker = asker_, .handle_hash = handle, .may_write = true};
    editor.asker.session_public_id = handle;
    return editor;
  }

  absl::StatusOr<Response> Apply(const Request& request,
                                 const std::string& handle = "one") {
    return ApplyEdit(tools_, EditorOf(handle), call_, request);
  }

  static Request Replace(const std::string& path, const std::string& needle,
                         const std::string& replacement) {
    Request request;
    auto& operation = *request.add_operations();
    operation.set_relative_path(path);
    operation.mutable_replace_content()->set_needle(needle);
    operation.mutable_replace_content()->set_replacement(replacement);
    return request;
  }

  static Request Lines(lsp::v1::LineEditKind kind, const std::string& path,
                       int start, int end, const std::string& content) {
    Request request;
    auto& operation = *request.add_operations();
    operation.set_relative_path(path);
    auto& lines = *operation.mutable_edit_lines();
    lines.set_kind(kind);
    lines.set_start_line(start);
    lines.set_end_line(end);
    lines.set_content(content);
    return request;
  }

  std::string Text(const std::string& path) const {
    std::ifstream file(folder_.PathOf(path), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return file ? text.str() : "(none)";
  }

  // As read_file does.
  std::string Show(const std::string& path, const std::string& handle = "one") {
    const auto content = asker_.workspace->root().ReadFile(path);
    ShownTexts::Of(*asker_.workspace)
        ->Note(handle, path, content->hash, content->bytes);
    return content->hash;
  }
};

}  // namespace banyan::lspd

#endif  // TESTS_LSPD_EDITS_EDIT_FIXTURE_H_
