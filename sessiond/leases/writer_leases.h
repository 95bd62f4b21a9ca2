// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_LEASES_WRITER_LEASES_H_
#define SESSIOND_LEASES_WRITER_LEASES_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "banyan/session/v1/record.pb.h"
#include "sessiond/store/record_store.h"
#include "sessiond/store/typed_records.h"

namespace banyan::sessiond {

// Who writes to a root whose project takes one writer at a time. A turn ends
// some time after its last use, with its handle, with its session. Nobody gets
// it by waiting: who wants to write next asks.
//
// Every change of hands raises the epoch, durably and before the answer; lspds
// refuse grants with an older one.
//
// Thread-safe. Every call can fail with STORE_UNREACHABLE.
class WriterLeases {
 public:
  struct Options {
    absl::Duration life = absl::Minutes(10);  // After the last use.
  };

  struct Writer {
    std::string handle_key;
    std::string session_public_id;  // Empty in the modern era.
    std::string client_name;        // For the others to read.
  };

  // The store outlives it.
  WriterLeases(RecordStore& store, Options options, Clock now)
      : records_(store), options_(options), now_(std::move(now)) {}

  // Takes the turn, or goes on with it; counts as a use.
  //   WRITER_HELD  by another; the message says since when and how long
  absl::StatusOr<session::v1::WriterRecord> Take(absl::string_view root,
                                                 const Writer& writer);

  // Of the turn that is on, if one is.
  absl::StatusOr<std::optional<session::v1::WriterRecord>> Of(
      absl::string_view root);

  // When the turn ends unless it is used.
  absl::Time Expires(const session::v1::WriterRecord& record) const;

  // Nothing happens unless the handle has the turn.
  absl::Status Free(absl::string_view root, absl::string_view handle_key);
  absl::Status FreeOfSession(absl::string_view session_public_id);

  // No epoch at or below this one is given out any more.
  void RaiseEpochs(int64_t highest);

 private:
  bool IsOn(const session::v1::WriterRecord& record) const;
  absl::Status Held(const session::v1::WriterRecord& record) const;
  void Begin(const Writer& writer, absl::string_view root,
             session::v1::WriterRecord& record);
  void Touch(absl::string_view root);
  absl::Status FreeIf(
      absl::string_view key,
      const std::function<bool(const session::v1::WriterRecord&)>& is_his);

  TypedRecords<session::v1::WriterRecord> records_;
  const Options options_;
  const Clock now_;
  std::atomic<int64_t> highest_epoch_ = 0;
  mutable std::mutex mutex_;
  // By root; newer than what is stored. Guarded by mutex_.
  std::map<std::string, absl::Time, std::less<>> used_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_LEASES_WRITER_LEASES_H_
