// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/tool_registry.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {

absl::StatusOr<ToolRegistry> ToolRegistry::Create(
    std::vector<std::unique_ptr<Tool>> tools) {
  ToolRegistry registry;
  for (std::unique_ptr<Tool>& tool : tools) {
    const ToolSpec& spec = tool->spec();
    if (!registry.by_name_.emplace(spec.name, registry.entries_.size())
             .second) {
      return absl::InternalError(absl::StrCat("two tools named ", spec.name));
    }
    ASSIGN_OR_RETURN(ArgumentSchema input,
                     ArgumentSchema::Create(spec.input_schema));
    registry.entries_.push_back({std::move(tool), std::move(input)});
  }
  return registry;
}

const ToolRegistry::Entry* ToolRegistry::Find(absl::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

}  // namespace banyan::edge
