// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_FOLDER_WATCHES_H_
#define LSPD_WORKSPACE_FOLDER_WATCHES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lspd/workspace/root_directory.h"
#include "lspd/workspace/unique_fd.h"

namespace banyan::lspd {

// What happened in a watched folder.
struct FolderNotice {
  enum class Kind {
    kCreated,
    kChanged,
    kDeleted,
    kFolderCreated,
    kFolderMoved,  // Watches beneath it have the wrong name now.
    kLost,         // The kernel dropped notices: anything may have happened.
  };

  Kind kind = Kind::kLost;
  std::string folder;  // As it was added.
  std::string name;
};

// inotify, one watch a folder. The kernel queues a notice before the call that
// made the change returns, so Take() right after a write tells of it. Changes
// through a memory map or a hard link elsewhere give none.
//
// Not thread-safe.
class FolderWatches {
 public:
  enum class Added { kAdded, kGone, kNotTrusted };

  // `root` must outlive this. Null when the kernel has no instance to give.
  static std::unique_ptr<FolderWatches> Create(const RootDirectory& root);

  // kNotTrusted: a network or user-space file system, which changes without
  // notice, or the kernel's limit is reached.
  Added Add(const std::string& relative_folder);

  // A folder that need not be beneath the root; notices say `name`.
  Added AddOutside(const std::string& path, const std::string& name);

  // What is queued. Never waits.
  std::vector<FolderNotice> Take();

  size_t size() const { return folders_.size(); }

 private:
  FolderWatches(const RootDirectory& root, UniqueFd fd);

  Added AddDescriptor(int folder_fd, const std::string& name);

  const RootDirectory& root_;
  const UniqueFd fd_;
  std::map<int, std::string> folders_;  // By watch descriptor.
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_FOLDER_WATCHES_H_
