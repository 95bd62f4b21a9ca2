// SPDX-License-Identifier: Apache-2.0
#ifndef EDGE_TOOLS_ARGUMENT_SCHEMA_H_
#define EDGE_TOOLS_ARGUMENT_SCHEMA_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace valijson {
class Schema;
}

namespace banyan::edge {

// A JSON Schema, made ready to be checked against. Thread-safe.
class ArgumentSchema {
 public:
  //   kInternal  the schema itself is broken
  static absl::StatusOr<ArgumentSchema> Create(nlohmann::json schema);

  ArgumentSchema(ArgumentSchema&&) noexcept;
  ArgumentSchema& operator=(ArgumentSchema&&) noexcept;
  ~ArgumentSchema();

  // The arguments of a call, made ready for a tool: null counts as not given,
  // 3.0 as 3; defaults are filled in; extra arguments are ignored. Not an
  // object, something missing, a wrong type or a bad value:
  //   kInvalidArgument  ARGUMENT_INVALID; the message says what to correct
  absl::StatusOr<nlohmann::json> Prepare(nlohmann::json arguments) const;

  // Holds any value against the schema.
  //   kInvalidArgument  ARGUMENT_INVALID
  absl::Status Check(const nlohmann::json& value) const;

 private:
  ArgumentSchema(nlohmann::json text, std::unique_ptr<valijson::Schema> schema);

  nlohmann::json text_;
  std::unique_ptr<valijson::Schema> schema_;
};

}  // namespace banyan::edge

#endif  // EDGE_TOOLS_ARGUMENT_SCHEMA_H_
