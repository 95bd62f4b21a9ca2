// SPDX-License-Identifier: Apache-2.0
#include "lspd/protocol/workspace_edit.h"

#include <utility>

#include "lspd/protocol/json_fields.h"
#include "lspd/protocol/lsp_types.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

absl::StatusOr<DocumentChange> EditFromJson(const json& entry) {
  const json& document = FieldOrNull(entry, "textDocument");
  DocumentChange change;
  change.uri = StringField(document, "uri");
  change.version = IntField(document, "version");
  if (change.uri.empty()) {
    return BadShape("an edit of a document", "a uri", entry);
  }
  ASSIGN_OR_RETURN(change.edits,
                   TextEditsFromJson(FieldOrNull(entry, "edits")));
  return change;
}

absl::StatusOr<DocumentChange> OperationFromJson(const json& entry,
                                                 const std::string& kind) {
  const json& options = FieldOrNull(entry, "options");
  DocumentChange change;
  change.may_overwrite = BoolField(options, "overwrite");
  change.ignore_if_exists = BoolField(options, "ignoreIfExists");
  change.ignore_if_absent = BoolField(options, "ignoreIfNotExists");
  change.uri = StringField(entry, "uri");
  if (kind == "create") {
    change.kind = DocumentChange::Kind::kCreate;
  } else if (kind == "delete") {
    change.kind = DocumentChange::Kind::kDelete;
  } else if (kind == "rename") {
    change.kind = DocumentChange::Kind::kRename;
    change.uri = StringField(entry, "oldUri");
    change.new_uri = StringField(entry, "newUri");
    if (change.new_uri.empty()) {
      return BadShape("a rename of a file", "a newUri", entry);
    }
  } else {
    return BadShape("a change of a file", "create, rename or delete", entry);
  }
  if (change.uri.empty()) return BadShape("a change of a file", "a uri", entry);
  return change;
}

// Several entries for one document, with nothing but edits between them, refer
// to one and the same text.
void Append(DocumentChange change, std::vector<DocumentChange>* changes) {
  if (change.kind == DocumentChange::Kind::kEdit) {
    for (auto known = changes->rbegin(); known != changes->rend(); ++known) {
      if (known->kind != DocumentChange::Kind::kEdit) break;
      if (known->uri != change.uri) continue;
      known->edits.insert(known->edits.end(), change.edits.begin(),
                          change.edits.end());
      return;
    }
  }
  changes->push_back(std::move(change));
}

}  // namespace

absl::StatusOr<std::vector<LspTextEdit>> TextEditsFromJson(const json& list) {
  std::vector<LspTextEdit> edits;
  if (list.is_null()) return edits;
  if (!list.is_array()) return BadShape("edits of a text", "a list", list);
  for (const json& each : list) {
    const json* const text = FindField(each, "newText");
    if (text == nullptr || !text->is_string()) {
      return BadShape("an edit of a text", "newText", each);
    }
    ASSIGN_OR_RETURN(const LspRange range,
                     RangeFromJson(FieldOrNull(each, "range")));
    edits.push_back({.range = range, .new_text = text->get<std::string>()});
  }
  return edits;
}

absl::StatusOr<WorkspaceEdit> WorkspaceEditFromJson(const json& edit) {
  WorkspaceEdit result;
  if (edit.is_null()) return result;
  if (!edit.is_object()) return BadShape("a workspace edit", "an object", edit);
  if (const json* const documents = FindField(edit, "documentChanges")) {
    if (!documents->is_array()) {
      return BadShape("documentChanges", "a list", *documents);
    }
    for (const json& entry : *documents) {
      const std::string kind = StringField(entry, "kind");
      ASSIGN_OR_RETURN(
          DocumentChange change,
          kind.empty() ? EditFromJson(entry) : OperationFromJson(entry, kind));
      Append(std::move(change), &result.changes);
    }
    return result;
  }
  const json* const changes = FindField(edit, "changes");
  if (changes == nullptr) return result;
  if (!changes->is_object()) return BadShape("changes", "an object", *changes);
  for (const auto& [uri, edits] : changes->items()) {
    DocumentChange change;
    change.uri = uri;
    ASSIGN_OR_RETURN(change.edits, TextEditsFromJson(edits));
    result.changes.push_back(std::move(change));
  }
  return result;
}

}  // namespace banyan::lspd
