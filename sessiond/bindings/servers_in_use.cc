// SPDX-License-Identifier: Apache-2.0
#include "sessiond/bindings/servers_in_use.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

using session::v1::WorkspaceRecord;

bool IsAbout(const WorkspaceRecord& record, absl::string_view root) {
  return record.root() == root && !record.is_released();
}

bool Says(const WorkspaceRecord& record,
          const std::vector<std::string>& languages) {
  return std::equal(record.servers_in_use().begin(),
                    record.servers_in_use().end(), languages.begin(),
                    languages.end());
}

}  // namespace

absl::Status ServersInUse::Note(absl::string_view root,
                                std::vector<std::string> languages) {
  std::sort(languages.begin(), languages.end());
  languages.erase(std::unique(languages.begin(), languages.end()),
                  languages.end());
  if (languages.size() > kLimit) languages.resize(kLimit);
  ASSIGN_OR_RETURN(const auto entries, records_.List(std::nullopt));
  for (const auto& entry : entries) {
    if (!IsAbout(entry.record, root) || Says(entry.record, languages)) continue;
    const auto noted = records_.Change(
        entry.key, [&](WorkspaceRecord& record) -> absl::Status {
          // It has ended or moved meanwhile: leave it as it is.
          if (!IsAbout(record, root)) return absl::CancelledError();
          record.mutable_servers_in_use()->Assign(languages.begin(),
                                                  languages.end());
          return absl::OkStatus();
        });
    if (!noted.ok() && !absl::IsCancelled(noted.status())) {
      return noted.status();
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ServersInUse::Of(
    absl::string_view root) {
  ASSIGN_OR_RETURN(const auto entries, records_.List(std::nullopt));
  std::set<std::string> languages;
  for (const auto& entry : entries) {
    if (!IsAbout(entry.record, root)) continue;
    languages.insert(entry.record.servers_in_use().begin(),
                     entry.record.servers_in_use().end());
  }
  return std::vector<std::string>(languages.begin(), languages.end());
}

}  // namespace banyan::sessiond
