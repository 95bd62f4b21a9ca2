// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/question.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "lspd/protocol/file_uri.h"
#include "lspd/queries/server_sync.h"
#include "lspd/queries/symbol_tree.h"
#include "lspd/server/quirks.h"
#include "nlohmann/json.hpp"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

// A file with nothing in it but blanks has no symbols, whoever is asked.
bool IsBlank(const SourceFile& file) {
  return absl::StripAsciiWhitespace(file.lines().text()).empty();
}

// The server gives no signal, and it has no index that a signal would be about:
// a right answer about one file is all the proof there is.
bool ProvesItself(const LanguageServer& server) {
  const lsp::v1::ReadinessKind kind = server.entry().readiness().kind();
  return kind == lsp::v1::READINESS_KIND_OPEN_ONLY ||
         kind == lsp::v1::READINESS_KIND_UNSPECIFIED;
}

// What is left of the call's time, less what forming the answer takes.
rpc::CallContext WithMargin(rpc::CallContext call) {
  if (call.deadline == absl::InfiniteFuture()) return call;
  const absl::Duration left = call.deadline - absl::Now();
  call.deadline -= std::min(absl::Seconds(1), left / 10);
  return call;
}

// How long a server that has shown nothing yet may answer "no symbols" before
// that is taken as its answer.
constexpr absl::Duration kCanaryWait = absl::Seconds(3);

}  // namespace

Question::Question(const QueryTools& tools, const Asker& asker,
                   const rpc::CallContext& call, bool is_first)
    : tools_(tools),
      asker_(asker),
      call_(WithMargin(call)),
      is_first_(is_first),
      state_(RootState::Of(*asker.workspace)),
      count_(state_->ReadCounter(asker.workspace->changes())) {}

void Question::AddIncomplete(absl::string_view language,
                             lsp::v1::IncompleteReason reason, int64_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  completeness_.Add(language, reason, count);
}

void Question::AddIncomplete(
    absl::string_view language,
    const std::vector<lsp::v1::Incompleteness>& reasons) {
  for (const lsp::v1::Incompleteness& entry : reasons) {
    AddIncomplete(entry.language().empty() ? language : entry.language(),
                  entry.reason(), entry.count());
  }
}

Completeness Question::completeness() const {
  Completeness all;
  std::map<std::string, std::shared_ptr<Server>> servers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    all = completeness_;
    servers = servers_;
  }
  for (const auto& [language, server] : servers) {
    const std::lock_guard<std::mutex> lock(server->mutex);
    if (!server->is_prepared) continue;
    if (server->readiness == ReadinessState::kIndexing) {
      all.Add(language, lsp::v1::INCOMPLETE_REASON_INDEXING);
    } else if (server->readiness == ReadinessState::kUnknown &&
               (*server->lease)->readiness() != ReadinessState::kReady) {
      // Unknown at first, and no canary has held since.
      all.Add(language, lsp::v1::INCOMPLETE_REASON_UNKNOWN_READINESS);
    }
  }
  return all;
}

absl::Status Question::CheckTime() const {
  if (!call_.IsOver()) return absl::OkStatus();
  if (call_.is_cancelled()) {
    return rpc::Error(rpc::v1::ERROR_REASON_CANCELLED, "The caller left.");
  }
  return rpc::Error(rpc::v1::ERROR_REASON_DEADLINE,
                    "The time of this call is over; ask about a smaller part, "
                    "or again: what was learnt is kept.");
}

absl::StatusOr<std::string> Question::LanguageOf(
    absl::string_view relative_path) const {
  const std::optional<FileLanguage> language =
      tools_.catalog.LanguageOf(relative_path);
  if (!language) {
    return rpc::Error(
        rpc::v1::ERROR_REASON_LANGUAGE_UNKNOWN,
        absl::StrCat("No language server is known for files like ",
                     relative_path,
                     ". Use search_for_pattern and read_file for it."));
  }
  return language->language;
}

std::shared_ptr<Question::Server> Question::EntryOf(
    const std::string& language) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Server>& entry = servers_[language];
  if (entry == nullptr) entry = std::make_shared<Server>();
  return entry;
}

absl::StatusOr<ServerLease> Question::Acquire(const std::string& language) {
  return tools_.pool.Acquire({.root = workspace().root().path(),
                              .trust_domain = asker_.trust_domain,
                              .language = language,
                              .server = "",
                              .session_public_id = asker_.session_public_id,
                              .project_settings = ""},
                             call_);
}

absl::StatusOr<LanguageServer*> Question::LeaseLocked(
    const std::string& language, Server& server) {
  RETURN_IF_ERROR(server.failure);
  if (server.lease == nullptr) {
    absl::StatusOr<ServerLease> lease = Acquire(language);
    if (lease.ok() && (*lease)->IsOutdated()) {
      tools_.pool.Retire(*lease);
      lease = Acquire(language);
    }
    if (!lease.ok()) return server.failure = lease.status();
    server.lease = std::make_unique<ServerLease>(*std::move(lease));
    AddIncomplete(language, (*server.lease)->Caveats());
  }
  return &**server.lease;
}

absl::StatusOr<LanguageServer*> Question::LeaseOf(const std::string& language) {
  const std::shared_ptr<Server> entry = EntryOf(language);
  const std::lock_guard<std::mutex> lock(entry->mutex);
  return LeaseLocked(language, *entry);
}

absl::Status Question::Prepare(const std::string& language, Server& server) {
  const ServerLease& lease = *server.lease;
  RETURN_IF_ERROR(TellChanges(workspace(), tools_.catalog, *state_, language,
                              lease, call_));
  DocumentPin seed_pin;
  if (const std::optional<std::string> seed = lease->SeedFile()) {
    absl::string_view relative = *seed;
    absl::ConsumePrefix(&relative,
                        absl::StrCat(workspace().root().path(), "/"));
    const auto file = File(std::string(relative));
    if (file.ok()) {
      ASSIGN_OR_RETURN(seed_pin, OpenIn(*lease, workspace(), **file));
    }
  }
  rpc::CallContext wait = call_;
  wait.deadline = std::min(call_.deadline, absl::Now() + tools_.readiness_wait);
  ASSIGN_OR_RETURN(server.readiness, lease->WaitUntilReady(wait));
  server.is_prepared = true;
  return absl::OkStatus();
}

absl::StatusOr<LanguageServer*> Question::ReadyServerOf(
    const std::string& language) {
  const std::shared_ptr<Server> entry = EntryOf(language);
  const std::lock_guard<std::mutex> lock(entry->mutex);
  ASSIGN_OR_RETURN(LanguageServer* const server, LeaseLocked(language, *entry));
  if (!entry->is_prepared) {
    entry->failure = Prepare(language, *entry);
    RETURN_IF_ERROR(entry->failure);
  }
  return server;
}

absl::StatusOr<std::shared_ptr<const SourceFile>> Question::File(
    const std::string& relative_path) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(relative_path);
    if (found != files_.end()) return found->second;
  }
  const absl::Time read_at = absl::Now();
  ASSIGN_OR_RETURN(FileContent content,
                   workspace().root().ReadFile(relative_path));
  state_->KeepHash(relative_path, content.state, content.hash, read_at);
  auto file =
      std::make_shared<const SourceFile>(relative_path, std::move(content));
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.emplace(relative_path, std::move(file)).first->second;
}

absl::StatusOr<std::string> Question::HashOf(const std::string& relative_path) {
  ASSIGN_OR_RETURN(const FileState state,
                   workspace().root().Stat(relative_path));
  if (auto hash = state_->HashOf(relative_path, state)) return *hash;
  ASSIGN_OR_RETURN(const auto file, File(relative_path));
  return file->hash();
}

SymbolCache::Key Question::KeyOf(const std::string& relative_path,
                                 const std::string& hash,
                                 const LanguageServer& server) const {
  const bool includes_others = HasQuirk(server.entry(), kQuirkCompileDatabase);
  return {.content_hash = hash,
          .server_fingerprint = server.fingerprint(),
          .root_configuration = "",
          .trust_domain = asker_.trust_domain,
          .document_language = DocumentIdOf(server.entry(), relative_path),
          .surroundings = includes_others
                              ? absl::StrCat(workspace().root().path(), " ",
                                             state_->header_generation())
                              : ""};
}

absl::StatusOr<SymbolsOfFile> Question::SymbolsOf(
    const std::string& relative_path) {
  RETURN_IF_ERROR(CheckTime());
  ASSIGN_OR_RETURN(const std::string language, LanguageOf(relative_path));
  ASSIGN_OR_RETURN(const std::string hash, HashOf(relative_path));
  ASSIGN_OR_RETURN(const LanguageServer* const leased, LeaseOf(language));
  SymbolsOfFile result{.relative_path = relative_path,
                       .language = language,
                       .hash = hash,
                       .symbols = nullptr};
  result.symbols = tools_.cache.Find(KeyOf(relative_path, hash, *leased));
  if (result.symbols != nullptr) return result;

  ASSIGN_OR_RETURN(LanguageServer* const server, ReadyServerOf(language));
  ASSIGN_OR_RETURN(const auto file, File(relative_path));
  result.hash = file->hash();
  ASSIGN_OR_RETURN(result.symbols, AskForSymbols(*server, *file));
  if (server->readiness() == ReadinessState::kReady) {
    tools_.cache.Put(KeyOf(relative_path, result.hash, *server),
                     result.symbols);
  }
  return result;
}

absl::StatusOr<SharedSymbols> Question::AskForSymbols(LanguageServer& server,
                                                      const SourceFile& file) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++files_asked_;
  }
  DocumentPin pin;
  if (server.entry().opens_for_symbols()) {
    ASSIGN_OR_RETURN(pin, Open(server, file));
  }
  const nlohmann::json params = {
      {"textDocument", {{"uri", FileUri(AbsolutePathOf(file))}}}};
  const absl::Time give_up = absl::Now() + kCanaryWait;
  absl::Duration pause = absl::Milliseconds(25);
  for (;;) {
    ASSIGN_OR_RETURN(
        const nlohmann::json answer,
        server.Request("textDocument/documentSymbol", params, call_));
    ASSIGN_OR_RETURN(FileSymbols symbols,
                     SymbolsFromJson(answer, file.lines(), server.encoding(),
                                     server.entry()));
    const bool is_known_ready = server.readiness() == ReadinessState::kReady;
    if (!symbols.roots.empty() && !is_known_ready && ProvesItself(server)) {
      server.ReportCanary(true);
    }
    if (!symbols.roots.empty() || is_known_ready || IsBlank(file) ||
        absl::Now() + pause > give_up || call_.IsOver()) {
      return std::make_shared<const FileSymbols>(std::move(symbols));
    }
    absl::SleepFor(pause);
    pause = std::min(2 * pause, absl::Milliseconds(400));
  }
}

absl::StatusOr<DocumentPin> Question::Open(LanguageServer& server,
                                           const SourceFile& file) const {
  return OpenIn(server, workspace(), file);
}

absl::Status Question::EnsureProven(LanguageServer& server,
                                    const SourceFile& file) {
  if (!ProvesItself(server) || server.readiness() == ReadinessState::kReady) {
    return absl::OkStatus();
  }
  return AskForSymbols(server, file).status();
}

std::string Question::AbsolutePathOf(const SourceFile& file) const {
  return lspd::AbsolutePathOf(workspace(), file);
}

int Question::files_asked() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_asked_;
}

void Question::NoteChanged() {
  const std::lock_guard<std::mutex> lock(mutex_);
  has_changed_ = true;
}

bool Question::has_changed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return has_changed_;
}

}  // namespace banyan::lspd
