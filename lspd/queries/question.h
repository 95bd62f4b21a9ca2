// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_QUESTION_H_
#define LSPD_QUERIES_QUESTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lspd/pool/server_pool.h"
#include "lspd/queries/completeness.h"
#include "lspd/queries/root_state.h"
#include "lspd/queries/source_file.h"
#include "lspd/server/server_catalog.h"
#include "lspd/workspace/symbol_cache.h"
#include "lspd/workspace/workspace.h"
#include "proto/rpc/call_context.h"

namespace banyan::lspd {

// What every question needs. All must outlive the questions.
struct QueryTools {
  ServerPool& pool;
  const ServerCatalog& catalog;
  SymbolCache& cache;
  // Of one question; the call's own deadline may be nearer.
  absl::Duration readiness_wait = absl::Seconds(30);
};

// Who asks, about which root.
struct Asker {
  std::shared_ptr<Workspace> workspace;
  std::string trust_domain;
  std::string session_public_id;
  std::string handle_hash;  // Who is shown what; may be empty.
};

// A file's symbols and the text that they were taken from.
struct SymbolsOfFile {
  std::string relative_path;
  std::string language;
  std::string hash;
  SharedSymbols symbols;
};

// One attempt to answer: what it has leased, read and learnt, and what its
// answer may lack. Each file is read once, so that an answer speaks of one
// text.
//
// Servers are leased when first needed, told of every change on disk, and
// waited for until they are ready before they are asked; each language adds
// what it lacks to completeness() once.
//
// Thread-safe, so that files can be asked about side by side.
class Question {
 public:
  // `is_first`: a server's death ends the attempt, for there is another.
  Question(const QueryTools& tools, const Asker& asker,
           const rpc::CallContext& call, bool is_first);

  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  const QueryTools& tools() const { return tools_; }
  const Workspace& workspace() const { return *asker_.workspace; }
  const std::string& handle_hash() const { return asker_.handle_hash; }
  RootState& state() { return *state_; }
  const rpc::CallContext& call() const { return call_; }
  bool is_first() const { return is_first_; }

  //   DEADLINE, CANCELLED
  absl::Status CheckTime() const;
  uint64_t count() const { return count_; }  // The change counter at the start.

  void AddIncomplete(absl::string_view language,
                     lsp::v1::IncompleteReason reason, int64_t count = 0);
  void AddIncomplete(absl::string_view language,
                     const std::vector<lsp::v1::Incompleteness>& reasons);
  Completeness completeness() const;

  // The language of a path.
  //   LANGUAGE_UNKNOWN
  absl::StatusOr<std::string> LanguageOf(absl::string_view relative_path) const;

  // Those of ServerPool::Acquire. The server may not be ready.
  absl::StatusOr<LanguageServer*> LeaseOf(const std::string& language);

  // Leased, up to date with the disk, ready or reported as not.
  absl::StatusOr<LanguageServer*> ReadyServerOf(const std::string& language);

  //   FILE_NOT_FOUND and the others of RootDirectory::ReadFile
  absl::StatusOr<std::shared_ptr<const SourceFile>> File(
      const std::string& relative_path);

  // From the cache, or from the server.
  absl::StatusOr<SymbolsOfFile> SymbolsOf(const std::string& relative_path);

  // The server has this text of the file while the pin lives.
  absl::StatusOr<DocumentPin> Open(LanguageServer& server,
                                   const SourceFile& file) const;

  // Servers that give no signal are ready once they answered rightly about one
  // file: asks about this one, unless that is known.
  absl::Status EnsureProven(LanguageServer& server, const SourceFile& file);

  // Absolute path as servers know it.
  std::string AbsolutePathOf(const SourceFile& file) const;

  // Files that a server was asked about, cached ones not counted.
  int files_asked() const;

  // Something was thought to be the same and was not: ask all over again.
  void NoteChanged();
  bool has_changed() const;

 private:
  struct Server {
    std::mutex mutex;  // Held while the server is leased or prepared.
    std::unique_ptr<ServerLease> lease;                    // Guarded by mutex.
    absl::Status failure;                                  // Guarded by mutex.
    bool is_prepared = false;                              // Guarded by mutex.
    ReadinessState readiness = ReadinessState::kIndexing;  // Guarded by mutex.
  };

  std::shared_ptr<Server> EntryOf(const std::string& language);
  // REQUIRES: server.mutex is held.
  absl::StatusOr<ServerLease> Acquire(const std::string& language);
  absl::StatusOr<LanguageServer*> LeaseLocked(const std::string& language,
                                              Server& server);
  absl::Status Prepare(const std::string& language, Server& server);

  absl::StatusOr<std::string> HashOf(const std::string& relative_path);
  SymbolCache::Key KeyOf(const std::string& relative_path,
                         const std::string& hash,
                         const LanguageServer& server) const;
  absl::StatusOr<SharedSymbols> AskForSymbols(LanguageServer& server,
                                              const SourceFile& file);

  const QueryTools& tools_;
  const Asker& asker_;
  const rpc::CallContext call_;
  const bool is_first_;
  const std::shared_ptr<RootState> state_;
  const uint64_t count_;

  mutable std::mutex mutex_;
  Completeness completeness_;  // Guarded by mutex_.
  std::map<std::string, std::shared_ptr<Server>>
      servers_;  // Guarded by mutex_.
  std::map<std::string, std::shared_ptr<const SourceFile>>
      files_;                 // Guarded by mutex_.
  int files_asked_ = 0;       // Guarded by mutex_.
  bool has_changed_ = false;  // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_QUESTION_H_
