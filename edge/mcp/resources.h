// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_MCP_RESOURCES_H_
#define EDGE_MCP_RESOURCES_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "edge/mcp/http_answer.h"
#include "edge/tools/tool.h"

namespace banyan::edge {

// What can be read by a URI. Thread-safe. Errors carry a reason; kNotFound is
// answered as an unknown resource.
class ResourceSource {
 public:
  virtual ~ResourceSource() = default;

  // By the URI's form alone.
  virtual bool Owns(const std::string& uri) const = 0;

  // Resource objects, and templates (RFC 6570), as MCP shows them; arrays.
  virtual absl::StatusOr<nlohmann::json> List(const ToolCall& call) const = 0;
  virtual nlohmann::json Templates() const = 0;

  // `contents` of the answer, never empty. REQUIRES: Owns(uri)
  virtual absl::StatusOr<nlohmann::json> Read(const std::string& uri,
                                              const ToolCall& call) const = 0;

  // Values for a variable of one of the templates that begin with `value`;
  // `known`: the values of its other variables, an object of strings.
  virtual absl::StatusOr<std::vector<std::string>> Complete(
      const std::string& uri_template, const std::string& variable,
      const std::string& value, const nlohmann::json& known,
      const ToolCall& call) const = 0;
};

// resources/list, resources/templates/list and resources/read, the same for
// both eras. Fixed once made; thread-safe.
class Resources {
 public:
  explicit Resources(std::vector<std::unique_ptr<ResourceSource>> sources)
      : sources_(std::move(sources)) {}

  MethodOutcome List(const nlohmann::json& params, const ToolCall& call) const;
  MethodOutcome Templates(const nlohmann::json& params) const;

  // `is_modern` decides how an unknown URI is answered.
  MethodOutcome Read(const nlohmann::json& params, bool is_modern,
                     const ToolCall& call) const;

  // Errors of ResourceSource::Complete; empty for a template that is unknown.
  absl::StatusOr<std::vector<std::string>> Complete(
      const std::string& uri_template, const std::string& variable,
      const std::string& value, const nlohmann::json& known,
      const ToolCall& call) const;

  bool IsKnown(const std::string& uri) const { return Find(uri) != nullptr; }

 private:
  const ResourceSource* Find(const std::string& uri) const;

  std::vector<std::unique_ptr<ResourceSource>> sources_;
};

// Why a list has no such page; nullopt when none was asked for. No list of
// ours has a second one.
std::optional<RpcError> RefuseCursor(const nlohmann::json& params);

// A failure outside a tool: what concerns the whole exchange stays a status,
// the rest is an error that the client reads.
MethodOutcome ToOutcome(const absl::Status& status);

}  // namespace banyan::edge

#endif  // EDGE_MCP_RESOURCES_H_
