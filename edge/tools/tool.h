// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_TOOL_H_
#define EDGE_TOOLS_TOOL_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "banyan/session/v1/session_service.pb.h"
#include "edge/clients/lsp_client.h"
#include "edge/clients/session_client.h"
#include "edge/tools/client_link.h"
#include "proto/rpc/call_context.h"

namespace banyan::edge {

// What a mode or a scope shows or hides together.
enum class ToolGroup { kWorkspace, kReading, kEditing };

// What a client is told about a tool. Schemas are JSON Schema 2020-12 with an
// object at the root; input properties carry their defaults.
struct ToolSpec {
  std::string name;  // At most 64 characters.
  std::string title;
  std::string description;
  nlohmann::json input_schema;
  nlohmann::json output_schema;  // Null: answers have no structure.
  ToolGroup group = ToolGroup::kReading;
  bool is_read_only = true;
  bool is_idempotent = true;
  bool is_destructive = false;  // May take away what was there.
};

// Who calls, as far as it was verified.
struct Caller {
  session::v1::Principal principal;
  std::string session_id;         // Legacy era; else empty.
  std::string session_public_id;  // The same, for logs.
  std::string default_project;    // Of the URL.
  session::v1::Access default_access =
      session::v1::ACCESS_UNSPECIFIED;  // Of the URL.
  std::string client_name;              // Modern era; a session brings its own.
  std::string client_version;
};

struct ToolCall {
  nlohmann::json arguments;  // Valid, with every default filled in.
  Caller caller;
  rpc::CallContext context;
  ClientLink* client = &NoClient();  // Never null; lives as long as the call.
};

// One step that makes a result shorter.
struct Shortening {
  std::string left_out;  // What is then missing: "context lines".
  std::function<void(nlohmann::json& content)> apply;
};

// How a result is cut when shortening does not do: into runs of items.
struct Paging {
  std::function<size_t(const nlohmann::json& content)> count;
  // `content` with only these items.
  std::function<nlohmann::json(const nlohmann::json& content, size_t first,
                               size_t count)>
      slice;
};

// Pages of the array at content[member].
Paging PagesOf(const std::string& member);

struct ToolResult {
  nlohmann::json content;   // Fits the output schema.
  std::string text_member;  // The string member that is the text block; empty:
                            // all of content, compact.
  std::vector<Shortening> shortenings;  // In the order in which they are tried.
  Paging paging;                        // Empty: never cut.

  // Set: MCP content blocks that are the whole answer, as they are.
  nlohmann::json blocks;
  bool is_error = false;  // Of `blocks`.
};

// Something a client can ask for. Thread-safe: one object serves all calls.
class Tool {
 public:
  virtual ~Tool() = default;

  virtual const ToolSpec& spec() const = 0;
  const std::string& name() const { return spec().name; }

  // Errors carry a reason (proto/rpc/error_reason.h) and a text for an agent.
  // REQUIRES: call.arguments came from ArgumentSchema::Prepare.
  virtual absl::StatusOr<ToolResult> Run(const ToolCall& call) const = 0;
};

// Whom tools ask. Both outlive the tools.
struct ToolClients {
  SessionClient& sessions;
  LspClient& lsp;
};

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_TOOL_H_
