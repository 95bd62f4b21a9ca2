// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_SQLITE_DATABASE_H_
#define SESSIOND_STORE_SQLITE_DATABASE_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace banyan::sessiond {

struct SqliteCloser {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct SqliteFinalizer {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
  }
};

// A prepared statement. Text and blobs are bound by reference: they must live
// until the next Reset.
class SqliteStatement {
 public:
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  SqliteStatement& Bind(int index, int64_t value);
  SqliteStatement& BindBlob(int index, absl::string_view value);

  // True for a row, false at the end. Codes as SqliteDatabase.
  absl::StatusOr<bool> Step();
  void Reset();
  // One step that yields no row, then a reset.
  absl::Status Run();

  int64_t Int(int column) const;
  std::string Blob(int column) const;

 private:
  std::unique_ptr<sqlite3_stmt, SqliteFinalizer> statement_;
};

// A connection for one thread at a time. Codes of every call:
//   kResourceExhausted  the disk is full
//   kDataLoss           the file is damaged or no database
//   kUnavailable        another process holds it
//   kInternal           anything else, reading and writing included
class SqliteDatabase {
 public:
  // Makes the file if there is none. `vfs` empty = SQLite's default.
  static absl::StatusOr<SqliteDatabase> Open(const std::string& path,
                                             const std::string& vfs);

  absl::Status Execute(const std::string& sql);
  absl::StatusOr<SqliteStatement> Prepare(const std::string& sql);
  // The first column of the first row, as a number and as text.
  absl::StatusOr<int64_t> QueryInt(const std::string& sql);
  absl::StatusOr<std::string> QueryText(const std::string& sql);

 private:
  explicit SqliteDatabase(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, SqliteCloser> database_;
};

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_SQLITE_DATABASE_H_
