// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_TOOL_REGISTRY_H_
#define EDGE_TOOLS_TOOL_REGISTRY_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "edge/tools/argument_schema.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

// The tools of one server, in the order in which they are listed, each with its
// input schema made ready. Fixed once made; thread-safe.
class ToolRegistry {
 public:
  struct Entry {
    std::unique_ptr<Tool> tool;
    ArgumentSchema input;
  };

  // Codes:
  //   kInternal  a broken schema, or two tools of one name
  static absl::StatusOr<ToolRegistry> Create(
      std::vector<std::unique_ptr<Tool>> tools);

  const std::vector<Entry>& entries() const { return entries_; }

  // Null when there is none.
  const Entry* Find(absl::string_view name) const;

 private:
  ToolRegistry() = default;

  std::vector<Entry> entries_;
  std::map<std::string, size_t, std::less<>> by_name_;
};

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_TOOL_REGISTRY_H_
