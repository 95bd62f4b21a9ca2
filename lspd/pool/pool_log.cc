// SPDX-License-Identifier: Apache-2.0
#include "lspd/pool/pool_log.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rpc/event_log.h"

namespace banyan::lspd {
namespace {

using rpc::LogEntry;
using rpc::LogLevel;

void Write(LogLevel level, const char* event, const PoolSlot& slot,
           absl::string_view text,
           std::vector<std::pair<std::string, std::string>> fields) {
  fields.insert(fields.begin(),
                {{"language", slot.language()}, {"server", slot.entry().id()}});
  rpc::Log(LogEntry{level, event, absl::StrCat("[LSP-Pool] ", text),
                    std::move(fields)});
}

std::string Seconds(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Seconds(duration), "s");
}

}  // namespace

void LogAcquired(const PoolSlot& slot, absl::string_view root,
                 absl::string_view session) {
  Write(LogLevel::kInfo, "lsp_acquired", slot,
        absl::StrCat("Acquired ", slot.language(), " LSP for ", root,
                     " (Session: ", session.substr(0, 4), ")"),
        {{"root", std::string(root)}, {"session", std::string(session)}});
}

void LogReleased(const PoolSlot& slot, absl::string_view root, int ref_count) {
  Write(LogLevel::kInfo, "lsp_released", slot,
        absl::StrCat("Released ", slot.language(), " LSP for ", root,
                     " (Ref Count: ", ref_count, ")"),
        {{"root", std::string(root)}, {"ref_count", absl::StrCat(ref_count)}});
}

void LogReclaiming(const PoolSlot& slot, absl::Duration idle,
                   absl::Duration life) {
  Write(LogLevel::kInfo, "lsp_reclaiming", slot,
        absl::StrCat("Reclaiming idle ", slot.language(),
                     " LSP (Idle: ", Seconds(idle), " > ", Seconds(life), ")"),
        {});
}

void LogMemory(const PoolSlot& slot, absl::string_view what) {
  Write(LogLevel::kWarning, "lsp_memory", slot,
        absl::StrCat(what, " ", slot.language(),
                     " LSP (Memory: ", slot.memory_bytes >> 20, " MB)"),
        {{"memory_bytes", absl::StrCat(slot.memory_bytes)}});
}

void LogOutdated(const PoolSlot& slot, pid_t pid) {
  Write(LogLevel::kInfo, "lsp_outdated", slot,
        absl::StrCat("Restarting ", slot.language(), " LSP (PID: ", pid,
                     "): what it was started with has changed"),
        {{"pid", absl::StrCat(pid)}});
}

void LogCrashed(const PoolSlot& slot, pid_t pid, absl::string_view why) {
  Write(LogLevel::kWarning, "lsp_crashed", slot,
        absl::StrCat("LSP Crashed: ", slot.entry().id(), " (PID: ", pid,
                     "). Restarting..."),
        {{"pid", absl::StrCat(pid)}, {"why", std::string(why)}});
}

void LogStarted(const PoolSlot& slot, pid_t pid, absl::Duration took) {
  Write(LogLevel::kInfo, "lsp_started", slot,
        absl::StrCat("Started ", slot.entry().id(), " ", slot.installed.version,
                     " (PID: ", pid, ") in ", absl::ToInt64Milliseconds(took),
                     " ms"),
        {{"pid", absl::StrCat(pid)}});
}

void LogStartFailed(const PoolSlot& slot, absl::string_view why) {
  Write(LogLevel::kWarning, "lsp_start_failed", slot,
        absl::StrCat("LSP Failed: ", slot.entry().id(), ": ", why), {});
}

}  // namespace banyan::lspd
