// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_TYPED_RECORDS_H_
#define SESSIOND_STORE_TYPED_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "banyan/session/v1/record.pb.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// One kind of record as its protobuf message; fields that this version does
// not know are kept. Message is SessionRecord, WorkspaceRecord or
// WriterRecord. The store outlives it. Thread-safe.
//
// Every call can fail with STORE_UNREACHABLE, or with INTERNAL when a stored
// record cannot be read.
template <typename Message>
class TypedRecords {
 public:
  struct Entry {
    std::string key;
    Message record;
  };

  explicit TypedRecords(RecordStore& store) : store_(store) {}

  absl::StatusOr<WriteResult> Create(absl::string_view key, Message record,
                                     const Quota& quota);

  absl::StatusOr<std::optional<Message>> Load(absl::string_view key);

  // Reads, changes, writes; again from the start when somebody else wrote in
  // between. Nothing when there is no such record (any more): it is never
  // made. An error of `change` leaves all as it was and is returned.
  absl::StatusOr<std::optional<Message>> Change(
      absl::string_view key, absl::FunctionRef<absl::Status(Message&)> change);

  // `version` 0 takes any. False when it is absent or has changed.
  absl::StatusOr<bool> Delete(absl::string_view key, int64_t version);

  // Without those that cannot be read: one must not hide the others. They are
  // logged.
  absl::StatusOr<std::vector<Entry>> List(std::optional<std::string> principal);

 private:
  RecordStore& store_;
};

extern template class TypedRecords<session::v1::SessionRecord>;
extern template class TypedRecords<session::v1::WorkspaceRecord>;
extern template class TypedRecords<session::v1::WriterRecord>;

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_TYPED_RECORDS_H_
