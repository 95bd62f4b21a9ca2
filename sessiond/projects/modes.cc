// SPDX-License-Identifier: Apache-2.0
#include "sessiond/projects/modes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/event_log.h"

namespace banyan::sessiond {
namespace {

using session::v1::Mode;

constexpr size_t kNameLimit = 64;
constexpr char kStrictest[] = "reading";

bool IsName(absl::string_view name) {
  return !name.empty() && name.size() <= kNameLimit &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '-' || c == '_';
         });
}

Mode BuiltIn(const std::string& name,
             const std::vector<std::string>& hidden_groups) {
  Mode mode;
  mode.set_name(name);
  mode.mutable_hidden_groups()->Assign(hidden_groups.begin(),
                                       hidden_groups.end());
  return mode;
}

bool Has(const Modes::Names& names, absl::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [name](const std::string& one) { return one == name; });
}

}  // namespace

Modes::Modes() {
  for (Mode& mode : std::vector<Mode>{
           BuiltIn("planning", {"editing", "refactoring"}),
           BuiltIn(kStrictest, {"editing", "refactoring", "memories"}),
           BuiltIn("no-refactoring", {"refactoring"}),
           BuiltIn("no-memories", {"memories"})}) {
    modes_[mode.name()] = std::move(mode);
  }
}

absl::Status Modes::Add(const Mode& mode) {
  if (!IsName(mode.name())) {
    return absl::InvalidArgumentError(
        absl::StrCat("a mode's name has letters, digits, - and _ only, unlike ",
                     rpc::EscapeForLog(mode.name(), kNameLimit)));
  }
  modes_[mode.name()] = mode;
  return absl::OkStatus();
}

absl::Status Modes::Check(const Names& names) const {
  for (const std::string& name : names) {
    if (modes_.find(name) != modes_.end()) continue;
    rpc::ErrorDetail detail;
    detail.set_reason(rpc::v1::ERROR_REASON_ARGUMENT_INVALID);
    for (const auto& [known, mode] : modes_) detail.add_alternatives(known);
    const std::string list = absl::StrJoin(detail.alternatives(), ", ");
    return rpc::Error(std::move(detail),
                      absl::StrCat(rpc::EscapeForLog(name, kNameLimit),
                                   " is no mode; there are: ", list));
  }
  return absl::OkStatus();
}

session::v1::ToolFilter Modes::FilterOf(const Names& names) const {
  std::set<std::string> groups;
  std::set<std::string> tools;
  for (const std::string& name : names) {
    const Mode& mode = Find(name);
    groups.insert(mode.hidden_groups().begin(), mode.hidden_groups().end());
    tools.insert(mode.hidden_tools().begin(), mode.hidden_tools().end());
  }
  session::v1::ToolFilter filter;
  filter.mutable_hidden_groups()->Assign(groups.begin(), groups.end());
  filter.mutable_hidden_tools()->Assign(tools.begin(), tools.end());
  return filter;
}

absl::Status Modes::JudgeTool(const Names& names, absl::string_view tool,
                              absl::string_view group) const {
  for (const std::string& name : names) {
    const Mode& mode = Find(name);
    const bool is_hidden =
        (!group.empty() && Has(mode.hidden_groups(), group)) ||
        (!tool.empty() && Has(mode.hidden_tools(), tool));
    if (!is_hidden) continue;
    return rpc::Error(
        rpc::v1::ERROR_REASON_TOOL_HIDDEN,
        absl::StrCat("this workspace is in mode ", name, ", which has no ",
                     tool.empty() ? group : tool,
                     "; activate the project without that mode to use it"));
  }
  return absl::OkStatus();
}

const Mode& Modes::Find(const std::string& name) const {
  const auto found = modes_.find(name);
  return found == modes_.end() ? modes_.at(kStrictest) : found->second;
}

}  // namespace banyan::sessiond
