// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_BINDINGS_SERVERS_IN_USE_H_
#define SESSIOND_BINDINGS_SERVERS_IN_USE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/record.pb.h"
#include "sessiond/store/record_store.h"
#include "sessiond/store/typed_records.h"

namespace banyan::sessiond {

// The languages whose servers run for a root, in the records of all handles on
// it: what a new owner of the root starts before it is asked. The owner says
// which they are; a server that died is one that it names no more.
//
// A record that has ended is never brought back, and one that says so already
// is not written. Every call can fail with STORE_UNREACHABLE. Thread-safe.
class ServersInUse {
 public:
  // Of one root; more are left out.
  static constexpr size_t kLimit = 64;

  // The store outlives it.
  explicit ServersInUse(RecordStore& store) : records_(store) {}

  // Takes the place of all that was said of this root before. A root without
  // handles is none of ours, and no error.
  absl::Status Note(absl::string_view root, std::vector<std::string> languages);

  // Sorted, each once.
  absl::StatusOr<std::vector<std::string>> Of(absl::string_view root);

 private:
  TypedRecords<session::v1::WorkspaceRecord> records_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_BINDINGS_SERVERS_IN_USE_H_
