// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_SQLITE_SCHEMA_H_
#define SESSIOND_STORE_SQLITE_SCHEMA_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "sessiond/store/record_map.h"
#include "sessiond/store/sqlite_database.h"

namespace banyan::sessiond {

inline constexpr int64_t kSqliteSchemaVersion = 1;

// Opens or makes the file, checks it through, and brings it into the mode in
// which we write. Codes as NewSqliteRecordStore.
absl::StatusOr<SqliteDatabase> OpenStoreFile(const std::string& path,
                                             const std::string& vfs);

// Everything in it. A new file begins its revisions with `now`.
absl::StatusOr<RecordMap> ReadRecords(SqliteDatabase& database, absl::Time now);

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_SQLITE_SCHEMA_H_
