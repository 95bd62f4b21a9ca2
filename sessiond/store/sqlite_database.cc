// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/sqlite_database.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

absl::StatusCode CodeOf(int result) {
  switch (result & 0xff) {
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInternal;
  }
}

absl::Status ToStatus(sqlite3* database, int result) {
  if (result == SQLITE_OK) return absl::OkStatus();
  return absl::Status(CodeOf(result),
                      absl::StrCat(sqlite3_errmsg(database), " (SQLite ",
                                   sqlite3_extended_errcode(database), ")"));
}

}  // namespace

SqliteStatement& SqliteStatement::Bind(int index, int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
  return *this;
}

SqliteStatement& SqliteStatement::BindBlob(int index, absl::string_view value) {
  // A null pointer would bind NULL, which is not an empty blob.
  const char* data = value.empty() ? "" : value.data();
  sqlite3_bind_blob64(statement_.get(), index, data, value.size(), nullptr);
  return *this;
}

absl::StatusOr<bool> SqliteStatement::Step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return ToStatus(sqlite3_db_handle(statement_.get()), result);
}

void SqliteStatement::Reset() { sqlite3_reset(statement_.get()); }

absl::Status SqliteStatement::Run() {
  const absl::Status status = Step().status();
  Reset();
  return status;
}

int64_t SqliteStatement::Int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string SqliteStatement::Blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string()
                         : std::string(static_cast<const char*>(data),
                                       static_cast<size_t>(size));
}

absl::StatusOr<SqliteDatabase> SqliteDatabase::Open(const std::string& path,
                                                    const std::string& vfs) {
  sqlite3* raw = nullptr;
  const int result =
      sqlite3_open_v2(path.c_str(), &raw,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                          SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                      vfs.empty() ? nullptr : vfs.c_str());
  SqliteDatabase database(raw);
  RETURN_IF_ERROR(ToStatus(raw, result));
  return database;
}

absl::Status SqliteDatabase::Execute(const std::string& sql) {
  return ToStatus(database_.get(), sqlite3_exec(database_.get(), sql.c_str(),
                                                nullptr, nullptr, nullptr));
}

absl::StatusOr<SqliteStatement> SqliteDatabase::Prepare(
    const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  RETURN_IF_ERROR(
      ToStatus(database_.get(),
               sqlite3_prepare_v3(database_.get(), sql.c_str(), -1,
                                  SQLITE_PREPARE_PERSISTENT, &raw, nullptr)));
  return SqliteStatement(raw);
}

absl::StatusOr<int64_t> SqliteDatabase::QueryInt(const std::string& sql) {
  ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql));
  RETURN_IF_ERROR(statement.Step().status());
  return statement.Int(0);
}

absl::StatusOr<std::string> SqliteDatabase::QueryText(const std::string& sql) {
  ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql));
  RETURN_IF_ERROR(statement.Step().status());
  return statement.Blob(0);
}

}  // namespace banyan::sessiond
