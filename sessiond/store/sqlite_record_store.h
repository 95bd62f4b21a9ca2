// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_SQLITE_RECORD_STORE_H_
#define SESSIOND_STORE_SQLITE_RECORD_STORE_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

struct SqliteStoreOptions {
  std::string path;  // The folder must exist and be ours alone.
  Clock now;         // Stamps changes; null = the system's clock.
  std::function<void(absl::Duration)>
      on_commit;  // How long one took, sync included. From the writer's thread.
  std::string vfs;  // SQLite's file layer; empty = the system's. For tests.
};

// Records in one SQLite file (WAL, synced before every answer), read from
// memory. One thread writes; what waits meanwhile goes into its next
// transaction, so that many writers share one sync.
//
// While the disk is full writes are refused and reads go on. After any other
// error of the disk writes stay refused until a restart has read the file anew:
// what a failed sync left behind cannot be known.
//
// Codes of the factory, all with a message for the operator:
//   kFailedPrecondition  network file system; another process holds the file;
//                        written by a newer version; damaged; no store of ours
//   kUnavailable         it cannot be opened or made
absl::StatusOr<std::unique_ptr<RecordStore>> NewSqliteRecordStore(
    SqliteStoreOptions options);

// Whether statfs(2) names a file system on which locks and syncs of SQLite are
// not to be trusted. `type` is f_type.
bool IsNetworkFileSystem(int64_t type);

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_SQLITE_RECORD_STORE_H_
