// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_SUPPORT_FAULTY_SQLITE_VFS_H_
#define TESTS_SUPPORT_FAULTY_SQLITE_VFS_H_

#include <sqlite3.h>

#include <atomic>

namespace banyan {

// SQLite's own file layer under the name kName, with a full disk and a failing
// sync at the turn of a switch. One at a time.
class FaultySqliteVfs {
 public:
  static constexpr char kName[] = "banyan_faulty";

  FaultySqliteVfs() {
    is_full = false;
    fails_sync = false;
    syncs = 0;
    real_vfs_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_vfs_;
    vfs_.zName = kName;
    vfs_.pNext = nullptr;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_vfs_->szOsFile;
    vfs_.xOpen = Open;
    sqlite3_vfs_register(&vfs_, /*makeDflt=*/0);
  }
  ~FaultySqliteVfs() { sqlite3_vfs_unregister(&vfs_); }
  FaultySqliteVfs(const FaultySqliteVfs&) = delete;
  FaultySqliteVfs& operator=(const FaultySqliteVfs&) = delete;

  static inline std::atomic<bool> is_full = false;
  static inline std::atomic<bool> fails_sync = false;
  static inline std::atomic<int> syncs = 0;

 private:
  // The real file lies right behind it.
  struct File {
    sqlite3_file base;
  };

  static sqlite3_file* Real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
  }

  static int Open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file,
                  int flags, int* out_flags) {
    static const sqlite3_io_methods kMethods = Methods();
    file->pMethods = nullptr;
    const int result =
        real_vfs_->xOpen(real_vfs_, name, Real(file), flags, out_flags);
    if (Real(file)->pMethods != nullptr) file->pMethods = &kMethods;
    return result;
  }

  static sqlite3_io_methods Methods() {
    sqlite3_io_methods methods{};
    methods.iVersion = 1;
    methods.xClose = [](sqlite3_file* file) {
      return Real(file)->pMethods->xClose(Real(file));
    };
    methods.xRead = [](sqlite3_file* file, void* to, int n, sqlite3_int64 at) {
      return Real(file)->pMethods->xRead(Real(file), to, n, at);
    };
    methods.xWrite = [](sqlite3_file* file, const void* from, int n,
                        sqlite3_int64 at) {
      if (is_full) return SQLITE_FULL;
      return Real(file)->pMethods->xWrite(Real(file), from, n, at);
    };
    methods.xTruncate = [](sqlite3_file* file, sqlite3_int64 size) {
      return Real(file)->pMethods->xTruncate(Real(file), size);
    };
    methods.xSync = [](sqlite3_file* file, int flags) {
      ++syncs;
      if (fails_sync) return SQLITE_IOERR_FSYNC;
      return Real(file)->pMethods->xSync(Real(file), flags);
    };
    methods.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
      return Real(file)->pMethods->xFileSize(Real(file), size);
    };
    methods.xLock = [](sqlite3_file* file, int level) {
      return Real(file)->pMethods->xLock(Real(file), level);
    };
    methods.xUnlock = [](sqlite3_file* file, int level) {
      return Real(file)->pMethods->xUnlock(Real(file), level);
    };
    methods.xCheckReservedLock = [](sqlite3_file* file, int* out) {
      return Real(file)->pMethods->xCheckReservedLock(Real(file), out);
    };
    methods.xFileControl = [](sqlite3_file* file, int op, void* arg) {
      return Real(file)->pMethods->xFileControl(Real(file), op, arg);
    };
    methods.xSectorSize = [](sqlite3_file* file) {
      return Real(file)->pMethods->xSectorSize(Real(file));
    };
    methods.xDeviceCharacteristics = [](sqlite3_file* file) {
      return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
    };
    return methods;
  }

  static inline sqlite3_vfs* real_vfs_ = nullptr;
  static inline sqlite3_vfs vfs_{};
};

}  // namespace banyan

#endif  // TESTS_SUPPORT_FAULTY_SQLITE_VFS_H_
