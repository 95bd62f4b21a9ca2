// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/open_documents.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/protocol/text_position.h"
#include "lspd/server/watch_glob.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

// The header of a language that has them: what includes it must be read anew.
bool IsHeader(absl::string_view path) {
  for (const char* extension :
       {".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tcc",
        ".tpp", ".def", ".cuh"}) {
    if (absl::EndsWithIgnoreCase(path, extension)) return true;
  }
  return false;
}

bool IsBeneath(absl::string_view path, const std::string& folder) {
  return absl::StartsWith(path, absl::StrCat(folder, "/"));
}

// Text that is not UTF-8 cannot stand in JSON. A byte order mark is no column
// (LineIndex), so the server may not count it as one either.
std::string SendableText(absl::string_view text) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  return IsValidUtf8(text) ? std::string(text) : Utf8Text(text);
}

std::string TextMember(const json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string()
             ? member->get<std::string>()
             : "";
}

}  // namespace

DocumentPin::DocumentPin(OpenDocuments* owner, std::string uri, int version)
    : owner_(owner), uri_(std::move(uri)), version_(version) {}

DocumentPin::DocumentPin(DocumentPin&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)),
      uri_(std::move(other.uri_)),
      version_(other.version_) {}

DocumentPin& DocumentPin::operator=(DocumentPin&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(uri_, other.uri_);
  std::swap(version_, other.version_);
  return *this;
}

DocumentPin::~DocumentPin() {
  if (owner_ != nullptr) owner_->Unpin(uri_);
}

OpenDocuments::OpenDocuments(Options options) : options_(std::move(options)) {}

absl::StatusOr<DocumentPin> OpenDocuments::Sync(const std::string& path,
                                                absl::string_view text,
                                                absl::string_view hash) {
  const std::string uri = FileUri(path);
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = documents_.find(uri);
  if (found != documents_.end() && found->second.must_reopen &&
      found->second.pins == 0) {
    RETURN_IF_ERROR(CloseLocked(uri));
    found = documents_.end();
  }
  if (found == documents_.end()) {
    RETURN_IF_ERROR(OpenLocked(uri, path, text, hash));
  } else if (found->second.hash != std::string(hash) ||
             found->second.must_reopen) {
    RETURN_IF_ERROR(ChangeLocked(uri, found->second, text, hash));
  }
  Document& document = documents_.at(uri);
  ++document.pins;
  by_age_.splice(by_age_.end(), by_age_, document.age);
  CloseSurplusLocked();
  return DocumentPin(this, uri, document.version);
}

absl::Status OpenDocuments::OpenLocked(const std::string& uri,
                                       const std::string& path,
                                       absl::string_view text,
                                       absl::string_view hash) {
  const int version = ++last_version_;
  RETURN_IF_ERROR(options_.notify("textDocument/didOpen",
                                  {{"textDocument",
                                    {{"uri", uri},
                                     {"languageId", options_.document_id(path)},
                                     {"version", version},
                                     {"text", SendableText(text)}}}}));
  Document document;
  document.path = path;
  document.hash = std::string(hash);
  document.version = version;
  document.age = by_age_.insert(by_age_.end(), uri);
  documents_.emplace(uri, std::move(document));
  if (options_.on_open) options_.on_open();
  return absl::OkStatus();
}

absl::Status OpenDocuments::ChangeLocked(const std::string& uri,
                                         Document& document,
                                         absl::string_view text,
                                         absl::string_view hash) {
  const int version = ++last_version_;
  json params = {
      {"textDocument", {{"uri", uri}, {"version", version}}},
      {"contentChanges", json::array({{{"text", SendableText(text)}}})}};
  // Held by somebody, so it cannot be closed: clangd's own way to the same end.
  if (document.must_reopen) params["forceRebuild"] = true;
  RETURN_IF_ERROR(options_.notify("textDocument/didChange", params));
  document.version = version;
  document.hash = std::string(hash);
  document.must_reopen = false;
  if (!sends_saves_) return absl::OkStatus();
  json saved = {{"textDocument", {{"uri", uri}}}};
  if (saves_include_text_) saved["text"] = SendableText(text);
  return options_.notify("textDocument/didSave", saved);
}

absl::Status OpenDocuments::CloseLocked(const std::string& uri) {
  const auto found = documents_.find(uri);
  by_age_.erase(found->second.age);
  documents_.erase(found);
  return options_.notify("textDocument/didClose",
                         {{"textDocument", {{"uri", uri}}}});
}

void OpenDocuments::CloseSurplusLocked() {
  for (auto uri = by_age_.begin();
       uri != by_age_.end() && documents_.size() > options_.max_open;) {
    const std::string oldest = *uri++;
    // A server that is gone needs no didClose.
    if (documents_.at(oldest).pins == 0) CloseLocked(oldest).IgnoreError();
  }
}

void OpenDocuments::ReopenAllLocked() {
  for (auto uri = by_age_.begin(); uri != by_age_.end();) {
    const std::string each = *uri++;
    Document& document = documents_.at(each);
    document.must_reopen = true;
    if (document.pins == 0) CloseLocked(each).IgnoreError();
  }
}

absl::StatusOr<std::vector<std::string>> OpenDocuments::FilesChanged(
    const std::vector<DiskChange>& changes) {
  std::vector<std::string> wanted;
  json events = json::array();
  bool has_header = false;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const DiskChange& change : changes) {
    const std::string uri = FileUri(change.path);
    if (IsWatchedLocked(change)) {
      events.push_back({{"uri", uri}, {"type", static_cast<int>(change.kind)}});
    }
    has_header = has_header || IsHeader(change.path);
    const bool is_open = documents_.count(uri) > 0;
    if (change.kind == DiskChange::Kind::kDeleted) {
      if (is_open) RETURN_IF_ERROR(CloseLocked(uri));
    } else if (is_open || (options_.reopens_changed_files &&
                           !options_.document_id(change.path).empty())) {
      wanted.push_back(change.path);
    }
  }
  if (has_header && options_.reopens_changed_files) ReopenAllLocked();
  if (!events.empty()) {
    RETURN_IF_ERROR(options_.notify("workspace/didChangeWatchedFiles",
                                    {{"changes", std::move(events)}}));
  }
  return wanted;
}

bool OpenDocuments::IsWatchedLocked(const DiskChange& change) const {
  if (watchers_.empty()) return options_.watches_unregistered;
  const int bit = 1 << (static_cast<int>(change.kind) - 1);
  for (const auto& [id, watchers] : watchers_) {
    for (const Watcher& watcher : watchers) {
      if ((watcher.kinds & bit) == 0) continue;
      if (watcher.base.empty()) {
        if (MatchesWatchGlob(watcher.glob, change.path)) return true;
      } else if (IsBeneath(change.path, watcher.base) &&
                 MatchesWatchGlob(watcher.glob, change.path)) {
        return true;
      }
    }
  }
  return false;
}

void OpenDocuments::WatchFiles(const std::string& registration_id,
                               const json& register_options) {
  std::vector<Watcher> watchers;
  const auto listed = register_options.find("watchers");
  if (listed == register_options.end() || !listed->is_array()) return;
  for (const json& each : *listed) {
    if (!each.is_object()) continue;
    Watcher watcher;
    if (const auto kind = each.find("kind");
        kind != each.end() && kind->is_number_integer()) {
      watcher.kinds = kind->get<int>();
    }
    const json pattern = each.value("globPattern", json());
    if (pattern.is_string()) {
      watcher.glob = pattern.get<std::string>();
    } else if (pattern.is_object()) {
      // RelativePattern: the base is a URI, or a workspace folder with one.
      const json base = pattern.value("baseUri", json());
      const std::string uri = base.is_string()   ? base.get<std::string>()
                              : base.is_object() ? TextMember(base, "uri")
                                                 : "";
      watcher.base = PathOfFileUri(uri).value_or("");
      watcher.glob = TextMember(pattern, "pattern");
    } else {
      continue;
    }
    watchers.push_back(std::move(watcher));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  watchers_[registration_id] = std::move(watchers);
}

void OpenDocuments::UnwatchFiles(const std::string& registration_id) {
  std::lock_guard<std::mutex> lock(mutex_);
  watchers_.erase(registration_id);
}

void OpenDocuments::SendSaves(bool includes_text) {
  std::lock_guard<std::mutex> lock(mutex_);
  sends_saves_ = true;
  saves_include_text_ = includes_text;
}

std::optional<std::string> OpenDocuments::SentHash(
    const std::string& path) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = documents_.find(FileUri(path));
  if (found == documents_.end()) return std::nullopt;
  return found->second.hash;
}

std::optional<int> OpenDocuments::VersionOf(absl::string_view uri) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = documents_.find(NormalUri(uri));
  if (found == documents_.end()) return std::nullopt;
  return found->second.version;
}

bool OpenDocuments::IsOpen(const std::string& path) const {
  return SentHash(path).has_value();
}

size_t OpenDocuments::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return documents_.size();
}

void OpenDocuments::CloseBeneath(const std::string& folder) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto uri = by_age_.begin(); uri != by_age_.end();) {
    const std::string each = *uri++;
    if (IsBeneath(documents_.at(each).path, folder)) {
      CloseLocked(each).IgnoreError();
    }
  }
}

void OpenDocuments::Unpin(const std::string& uri) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = documents_.find(uri);
  if (found == documents_.end()) return;
  if (found->second.pins > 0) --found->second.pins;
  CloseSurplusLocked();
}

}  // namespace banyan::lspd
