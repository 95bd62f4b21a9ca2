// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_SERVER_OPEN_DOCUMENTS_H_
#define LSPD_SERVER_OPEN_DOCUMENTS_H_

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

class OpenDocuments;

// A document that stays open in the server as long as this lives. Must not
// outlive its OpenDocuments. Move-only.
class DocumentPin {
 public:
  DocumentPin() = default;
  DocumentPin(DocumentPin&& other) noexcept;
  DocumentPin& operator=(DocumentPin&& other) noexcept;
  ~DocumentPin();

  const std::string& uri() const { return uri_; }
  int version() const { return version_; }  // What Sync() sent or found.

 private:
  friend class OpenDocuments;
  DocumentPin(OpenDocuments* owner, std::string uri, int version);

  OpenDocuments* owner_ = nullptr;
  std::string uri_;
  int version_ = 0;
};

struct DiskChange {
  enum class Kind { kCreated = 1, kChanged = 2, kDeleted = 3 };  // As in LSP.
  std::string path;                                              // Absolute.
  Kind kind = Kind::kChanged;
};

// The documents that one server process has open: the only place that sends
// didOpen, didChange and didClose, so versions grow strictly and nothing is
// opened twice. The text of an open document is the text on disk.
//
// Thread-safe. The lock is held while a notification is queued, so that the
// server sees versions in order.
class OpenDocuments {
 public:
  struct Options {
    // Queues a notification; must not block.
    std::function<absl::Status(absl::string_view method,
                               const nlohmann::json& params)>
        notify;
    // LSP's languageId of a path.
    std::function<std::string(absl::string_view path)> document_id;
    std::function<void()> on_open;  // After each didOpen; may be null.
    // Past it the longest unused one that nobody holds is closed.
    size_t max_open = 200;
    // The server rereads a file only when it is opened anew (clangd).
    bool reopens_changed_files = false;
    // Files are reported though the server registered for none.
    bool watches_unregistered = false;
  };

  explicit OpenDocuments(Options options);

  OpenDocuments(const OpenDocuments&) = delete;
  OpenDocuments& operator=(const OpenDocuments&) = delete;

  // The server knows this text of the file (absolute real path) when this
  // returns: by didOpen, by didChange when `hash` is not the one sent before,
  // or already. `hash` is any digest of `text`.
  //   SERVER_DOWN  the process is gone
  absl::StatusOr<DocumentPin> Sync(const std::string& path,
                                   absl::string_view text,
                                   absl::string_view hash);

  // Tells the server what changed on disk (didChangeWatchedFiles; deleted
  // documents are closed). Returns the paths whose new text it must be given by
  // Sync() before it is asked anything.
  //   SERVER_DOWN
  absl::StatusOr<std::vector<std::string>> FilesChanged(
      const std::vector<DiskChange>& changes);

  // The hash that Sync() sent last; empty if the file is not open.
  std::optional<std::string> SentHash(const std::string& path) const;
  std::optional<int> VersionOf(absl::string_view uri) const;
  bool IsOpen(const std::string& path) const;
  size_t size() const;

  // Closes what lies beneath a folder that leaves the server, held or not.
  void CloseBeneath(const std::string& folder);

  // What the server wants to be told, by the registerOptions of its
  // `workspace/didChangeWatchedFiles`.
  void WatchFiles(const std::string& registration_id,
                  const nlohmann::json& register_options);
  void UnwatchFiles(const std::string& registration_id);

  // The server wants didSave, with or without the text.
  void SendSaves(bool includes_text);

 private:
  friend class DocumentPin;

  struct Document {
    std::string path;
    std::string hash;
    int version = 0;
    int pins = 0;
    bool must_reopen = false;
    std::list<std::string>::iterator age;  // Place in by_age_.
  };
  struct Watcher {
    std::string base;  // Absolute folder of a relative glob, or empty.
    std::string glob;
    int kinds = 7;  // Bits: 1 create, 2 change, 4 delete.
  };

  absl::Status OpenLocked(const std::string& uri, const std::string& path,
                          absl::string_view text, absl::string_view hash);
  absl::Status ChangeLocked(const std::string& uri, Document& document,
                            absl::string_view text, absl::string_view hash);
  absl::Status CloseLocked(const std::string& uri);
  void CloseSurplusLocked();
  void ReopenAllLocked();
  bool IsWatchedLocked(const DiskChange& change) const;
  void Unpin(const std::string& uri);

  const Options options_;
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::map<std::string, Document> documents_;  // By URI.
  std::list<std::string> by_age_;              // URIs, longest unused first.
  std::map<std::string, std::vector<Watcher>> watchers_;  // By registration.
  int last_version_ = 0;  // Of any document, so that each one's grow.
  bool sends_saves_ = false;
  bool saves_include_text_ = false;
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_OPEN_DOCUMENTS_H_
