// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/sqlite_schema.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/sqlite_record_store.h"

namespace banyan::sessiond {
namespace {

constexpr int64_t kApplicationId = 0x42616e79;  // "Bany"

constexpr char kTables[] = R"sql(
  CREATE TABLE records (
    kind INTEGER NOT NULL,
    key BLOB NOT NULL,
    version INTEGER NOT NULL,
    principal BLOB NOT NULL,
    is_over INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (kind, key)
  ) WITHOUT ROWID;
  CREATE TABLE changes (
    revision INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    key BLOB NOT NULL,
    version INTEGER NOT NULL,
    is_over INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
  );
)sql";

absl::Status Refusal(const std::string& path, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("the session store ", path, " cannot be used: ", why));
}

absl::Status CannotOpen(const std::string& path, absl::string_view what) {
  return absl::UnavailableError(absl::StrCat("the session store ", path,
                                             " cannot be opened: ", what, ": ",
                                             std::strerror(errno)));
}

// What SQLite said while opening, in words that say what to do.
absl::Status Explain(const std::string& path, const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kFailedPrecondition:
      return status;
    case absl::StatusCode::kUnavailable:
      return Refusal(path, "another process has it open");
    case absl::StatusCode::kDataLoss:
      return Refusal(path, absl::StrCat("it is damaged (", status.message(),
                                        "); restore a copy or move it away"));
    default:
      return absl::UnavailableError(absl::StrCat(
          "the session store ", path, " cannot be opened: ", status.message()));
  }
}

absl::Status CheckFolder(const std::string& folder, const std::string& path) {
  struct statfs about;
  if (::statfs(folder.c_str(), &about) != 0) return CannotOpen(path, folder);
  if (IsNetworkFileSystem(about.f_type)) {
    return Refusal(path,
                   "it lies on a network file system, where SQLite's locks and "
                   "syncs do not hold; choose a local folder with --store or "
                   "--data_dir");
  }
  return absl::OkStatus();
}

// The file is ours alone (0600), and its name is on disk before its content.
absl::Status MakeFile(const std::string& path, const std::string& folder) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                          S_IRUSR | S_IWUSR);
  if (file < 0) {
    return errno == EEXIST ? absl::OkStatus() : CannotOpen(path, "open");
  }
  ::close(file);
  const int parent = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) return CannotOpen(path, folder);
  const bool is_synced = ::fsync(parent) == 0;
  ::close(parent);
  return is_synced ? absl::OkStatus() : CannotOpen(path, "fsync");
}

absl::Status CheckOrMakeTables(SqliteDatabase& database,
                               const std::string& path) {
  ASSIGN_OR_RETURN(const int64_t tables,
                   database.QueryInt("SELECT count(*) FROM sqlite_schema"));
  ASSIGN_OR_RETURN(const int64_t application,
                   database.QueryInt("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t version,
                   database.QueryInt("PRAGMA user_version"));
  if (tables == 0 && application == 0) {
    return database.Execute(absl::StrCat(
        "BEGIN IMMEDIATE;", kTables, "PRAGMA application_id = ", kApplicationId,
        "; PRAGMA user_version = ", kSqliteSchemaVersion, "; COMMIT;"));
  }
  if (application != kApplicationId) {
    return Refusal(path, "it is the database of another program");
  }
  if (version > kSqliteSchemaVersion) {
    return Refusal(path,
                   absl::StrCat("a newer version wrote it (schema ", version,
                                ", this one reads up to ", kSqliteSchemaVersion,
                                "); start that version"));
  }
  ASSIGN_OR_RETURN(const std::string verdict,
                   database.QueryText("PRAGMA quick_check(1)"));
  return verdict == "ok" ? absl::OkStatus() : absl::DataLossError(verdict);
}

absl::Status Prepare(SqliteDatabase& database, const std::string& path) {
  // We answer reads from memory, so nobody else may write; and without shared
  // memory the write-ahead log needs no third file.
  RETURN_IF_ERROR(database.Execute("PRAGMA locking_mode = EXCLUSIVE"));
  ASSIGN_OR_RETURN(const std::string mode,
                   database.QueryText("PRAGMA journal_mode = WAL"));
  if (mode != "wal") return Refusal(path, "it does not take write-ahead logs");
  RETURN_IF_ERROR(database.Execute("PRAGMA synchronous = FULL"));
  return CheckOrMakeTables(database, path);
}

}  // namespace

bool IsNetworkFileSystem(int64_t type) {
  constexpr int64_t kTypes[] = {
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB2
      0x5346414f,  // AFS
      0x00c36400,  // Ceph
      0x01021997,  // 9P
      0x0bd00bd0,  // Lustre
      0x01161970,  // GFS2
      0x47504653,  // GPFS
      0x7461636f,  // OCFS2
  };
  // f_type is signed on some machines.
  const int64_t bits = type & 0xffffffff;
  return std::find(std::begin(kTypes), std::end(kTypes), bits) !=
         std::end(kTypes);
}

absl::StatusOr<SqliteDatabase> OpenStoreFile(const std::string& path,
                                             const std::string& vfs) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  RETURN_IF_ERROR(CheckFolder(folder, path));
  RETURN_IF_ERROR(MakeFile(path, folder));
  absl::StatusOr<SqliteDatabase> database = SqliteDatabase::Open(path, vfs);
  RETURN_IF_ERROR(Explain(path, database.status()));
  RETURN_IF_ERROR(Explain(path, Prepare(*database, path)));
  return database;
}

absl::StatusOr<RecordMap> ReadRecords(SqliteDatabase& database,
                                      absl::Time now) {
  RecordMap map(absl::ToUnixMillis(now));
  ASSIGN_OR_RETURN(
      SqliteStatement records,
      database.Prepare(
          "SELECT kind, key, version, principal, is_over, body FROM records"));
  while (true) {
    ASSIGN_OR_RETURN(const bool has_row, records.Step());
    if (!has_row) break;
    map.Restore({.kind = static_cast<RecordKind>(records.Int(0)),
                 .key = records.Blob(1),
                 .version = records.Int(2),
                 .principal = records.Blob(3),
                 .is_over = records.Int(4) != 0,
                 .body = records.Blob(5)});
  }
  ASSIGN_OR_RETURN(SqliteStatement changes,
                   database.Prepare("SELECT revision, kind, key, version, "
                                    "is_over, at_ms FROM changes "
                                    "ORDER BY revision"));
  while (true) {
    ASSIGN_OR_RETURN(const bool has_row, changes.Step());
    if (!has_row) break;
    map.RestoreChange({.revision = changes.Int(0),
                       .kind = static_cast<RecordKind>(changes.Int(1)),
                       .key = changes.Blob(2),
                       .version = changes.Int(3),
                       .is_over = changes.Int(4) != 0,
                       .at = absl::FromUnixMillis(changes.Int(5))});
  }
  return map;
}

}  // namespace banyan::sessiond
