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
#include "banyan/lsp/v1/server_catalog.pb.h"
#include "nlohmann/json_fwd.hpp"

namespace banyan::lspd {

class OpenDocuments;

// A document that stays open in the server as long as this lives. Move-only.
class DocumentPin {
 public:
  DocumentPin() = default;
  DocumentPin(DocumentPin&& other) noexcept;
  DocumentPin& operator=(DocumentPin&& other) noexcept;
  ~DocumentPin();

  const std::string& uri() const { return uri_; }
  int version() const {
    return version_;
  }  // The version that Sync gave or found.

 private:
  friend class OpenDocuments;
  DocumentPin(OpenDocuments* owner, std::string uri, int version);

  OpenDocuments* owner_ = nullptr;
  std::string uri_;
  int version_ = 0;
};

struct DiskChange {
  enum class Kind { kCreated = 1, kChanged = 2, kDeleted = 3 };
  std::string path;  // Absolute.
  Kind kind = Kind::kChanged;
};

// The documents that one server process has open: the only place that sends
// didOpen, didChange and didClose, so versions grow strictly and nothing is
// opened twice. The text of an open document is the text on disk.
//
// Thread-safe. The lock is held while a notification is queued, so that a
// server sees versions in order.
class OpenDocuments {
 public:
  using Notify = std::function<absl::Status(absl::string_view method,
                                            const nlohmann::json& params)>;

  struct Options {
    Notify notify;
    std::function<std::string(absl::string_view path)>
        document_id;  // languageId by path.
    size_t max_open =
        200;  // Past it the longest unused one that nobody holds is closed.
    bool reopens_changed_files =
        false;  // The server rereads a file only by didOpen (clangd).
    bool sends_save = false;  // The server asked for didSave.
  };

  explicit OpenDocuments(Options options);

  OpenDocuments(const OpenDocuments&) = delete;
  OpenDocuments& operator=(const OpenDocuments&) = delete;

  // The server knows this text of the file (absolute path, real) when this
  // returns: didOpen, or didChange when `hash` is another than the one sent
  // before, or nothing. `text` is UTF-8; `hash` is any digest of it.
  //   SERVER_DOWN  the process is gone
  absl::StatusOr<DocumentPin> Sync(const std::string& path,
                                   absl::string_view text,
                                   absl::string_view hash);

  // Tells the server what changed on disk (didChangeWatchedFiles; deleted
  // documents are closed). Returns the paths, deleted ones aside, whose new
  // text the server must be given by Sync() before it is asked anything.
  absl::StatusOr<std::vector<std::string>> FilesChanged(
      const std::vector<DiskChange>& changes);

  // The hash that Sync() sent last; empty if the file is not open.
  std::optional<std::string> SentHash(const std::string& path) const;
  std::optional<int> VersionOf(absl::string_view uri) const;

  bool IsOpen(const std::string& path) const;
  size_t size() const;

  // Closes what lies beneath a folder that leaves the server.
  void CloseBeneath(const std::string& folder);

  // client/registerCapability and its opposite of didChangeWatchedFiles, and
  // whether unregistered servers are told too.
  void WatchFiles(const std::string& registration_id,
                  const nlohmann::json& register_options);
  void UnwatchFiles(const std::string& registration_id);

 private:
  friend class DocumentPin;

  struct Document {
    std::string path;
    std::string hash;
    int version = 0;
    int pins = 0;
    bool is_stale = false;                 // The disk has another text.
    std::list<std::string>::iterator age;  // Place in by_age_.
  };
  struct Watcher {
    std::string
        base;  // Absolute folder; empty for an absolute or unanchored glob.
    std::string glob;
    int kinds = 7;
  };

  void Unpin(const std::string& uri);
  void CloseLocked(const std::string& uri);
  void CloseSurplusLocked();
  bool IsWatchedLocked(const DiskChange& change) const;

  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, Document> documents_;  // By URI. Guarded by mutex_.
  std::list<std::string>
      by_age_;  // URIs, longest unused first. Guarded by mutex_.
  std::map<std::string, int>
      last_versions_;  // Of closed documents. Guarded by mutex_.
  std::map<std::string, std::vector<Watcher>>
      watchers_;  // By registration. Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_SERVER_OPEN_DOCUMENTS_H_
