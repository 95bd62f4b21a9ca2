// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_PROJECTS_MODES_H_
#define SESSIOND_PROJECTS_MODES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/projects.pb.h"
#include "banyan/session/v1/session_service.pb.h"

namespace banyan::sessiond {

// The named tool filters there are: `planning` (no edits), `reading` (nothing
// but reading), `no-refactoring`, `no-memories`, and the operator's. A
// workspace in several hides what any of them hides. Thread-safe once filled.
class Modes {
 public:
  using Names = google::protobuf::RepeatedPtrField<std::string>;

  Modes();

  // One of the operator's; takes the place of another of its name.
  //   kInvalidArgument  no name of letters, digits, - and _
  absl::Status Add(const session::v1::Mode& mode);

  //   ARGUMENT_INVALID  there is none of that name; lists those there are
  absl::Status Check(const Names& names) const;

  // A name that is known no more hides all that any built-in one hides.
  session::v1::ToolFilter FilterOf(const Names& names) const;

  // Whether a tool may be used in these modes. An empty tool is no tool.
  //   TOOL_HIDDEN  names the mode
  absl::Status JudgeTool(const Names& names, absl::string_view tool,
                         absl::string_view group) const;

 private:
  const session::v1::Mode& Find(const std::string& name) const;

  std::map<std::string, session::v1::Mode> modes_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_PROJECTS_MODES_H_
