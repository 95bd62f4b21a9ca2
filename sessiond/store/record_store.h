// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_RECORD_STORE_H_
#define SESSIOND_STORE_RECORD_STORE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace banyan::sessiond {

using Clock = std::function<absl::Time()>;

// The numbers are on disk.
enum class RecordKind { kSession = 1, kWorkspace = 2, kWriter = 3 };

struct Record {
  RecordKind kind = RecordKind::kSession;
  std::string key;        // RecordKey of the id.
  int64_t version = 0;    // 1 at creation, one more at every change.
  std::string principal;  // Hash of the owner; empty for none.
  bool is_over = false;   // Terminated: kept for a while, counts for no quota.
  std::string body;       // The serialized record.
};

// Places that living records may take; 0 = no limit.
struct Quota {
  int64_t per_principal = 0;
  int64_t total = 0;
};

struct RecordWrite {
  enum class Verb { kCreate, kUpdate, kDelete };
  Verb verb = Verb::kCreate;
  Record record;  // A delete needs kind and key only; `version` is never read.
  int64_t expected_version =
      0;        // Of kUpdate and kDelete; a delete takes any version for 0.
  Quota quota;  // Of kCreate.
};

enum class WriteResult {
  kDone,
  kExists,         // Create: somebody was first.
  kAbsent,         // Update, delete: there is none, and none was made.
  kConflict,       // Update, delete: it has another version by now.
  kPrincipalFull,  // Create: this principal's places are taken.
  kStoreFull,      // Create: all places are taken.
};

// One line of the history that watches replay. Part of the transaction that
// made the change.
struct RecordChange {
  int64_t revision = 0;  // Rises by one with every change, over restarts too.
  RecordKind kind = RecordKind::kSession;
  std::string key;
  int64_t version = 0;
  bool is_over = false;  // Deleted or terminated.
  absl::Time at;
  // No change but a gap: earlier ones may have been lost, records with them.
  // Only `revision` is set: where it goes on.
  bool is_gap = false;
};

struct History {
  int64_t newest_revision = 0;
  bool is_complete = true;  // Every change after the asked revision is here.
  std::vector<RecordChange> changes;
};

inline constexpr absl::Duration kHistoryLife = absl::Minutes(10);
inline constexpr size_t kHistoryLimit = 100'000;

// Records with compare-and-set. What a write answers with kDone is durable as
// far as the implementation is durable at all, and was announced to the
// listener before the answer.
//
// Every call can fail with STORE_UNREACHABLE; then nothing was acknowledged, and
// a write may or may not have happened. Thread-safe; calls may block on a disk.
class RecordStore {
 public:
  virtual ~RecordStore() = default;

  virtual absl::StatusOr<WriteResult> Write(RecordWrite write) = 0;

  // A copy, or nothing.
  virtual absl::StatusOr<std::optional<Record>> Load(RecordKind kind,
                                                     absl::string_view key) = 0;

  // All records of a kind, or those of one principal. In no order.
  virtual absl::StatusOr<std::vector<Record>> List(
      RecordKind kind, std::optional<std::string> principal) = 0;

  // Changes after `revision`, oldest first. kHistoryLife of them are kept, at
  // most kHistoryLimit.
  virtual absl::StatusOr<History> ChangesSince(int64_t revision) = 0;

  // Until the listener has heard of every change that was acknowledged before,
  // wherever it was made.
  virtual absl::Status CatchUp() { return absl::OkStatus(); }

  // Called once for every change, in order, from one thread at a time: return
  // soon, and do not call the store. Set before the first write.
  virtual void SetChangeListener(
      std::function<void(const RecordChange&)> listener) = 0;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_RECORD_STORE_H_
