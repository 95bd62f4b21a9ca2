// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/edit_transaction.h"

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "lspd/edits/edit_files.h"
#include "lspd/edits/edit_journal.h"
#include "lspd/edits/edit_undo.h"
#include "lspd/edits/unified_diff.h"
#include "lspd/workspace/open_beneath.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::lspd {
namespace {

constexpr char kNewJournal[] = "journal.tmp";  // Not to be believed yet.

std::string NewId(absl::Time now) {
  std::array<unsigned char, 4> random{};
  RAND_bytes(random.data(), static_cast<int>(random.size()));
  // Begins with its time, in milliseconds: DropOldEdits() reads it.
  return absl::StrCat(
      absl::ToUnixMillis(now), "-",
      absl::BytesToHexString(absl::string_view(
          reinterpret_cast<const char*>(random.data()), random.size())));
}

absl::Status ChangedMeanwhile(const DraftChange& change,
                              const std::optional<std::string>& now) {
  std::string message =
      absl::StrCat(change.path,
                   " was changed by somebody else while this edit was made; "
                   "nothing was changed by it.");
  if (!now) {
    absl::StrAppend(&message, " The file is gone.");
  } else {
    absl::StrAppend(&message,
                    " The difference to what the edit was made for:\n",
                    ShortDiff(change.before.value_or(""), *now, change.path));
  }
  return rpc::Error(rpc::v1::ERROR_REASON_CONFLICT, message);
}

absl::Status OnOtherDisk(const DraftChange& change) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
      absl::StrCat(change.path, " lies on another file system than ",
                   change.attributes_of,
                   ", so the file cannot be moved there. Nothing was changed: "
                   "make it anew with create_text_file, then delete_file."));
}

class Transaction {
 public:
  Transaction(const RootDirectory& root,
              const std::vector<DraftChange>& changes,
              const CommitOptions& options)
      : root_(root), changes_(changes), options_(options) {}

  absl::StatusOr<std::string> Run() {
    ASSIGN_OR_RETURN(edits_, OpenEditsFolder(root_, true));
    id_ = NewId(absl::Now());
    absl::Status status = Prepare();
    if (status.ok()) status = options_.may_commit();
    if (!status.ok()) {
      RemoveStage(edits_.get(), id_);
      return status;
    }
    status = Apply();
    if (status.ok()) status = Seal();
    if (status.ok()) return id_;
    const std::vector<std::string> unsettled =
        UndoSteps(root_, stage_.get(), journal_, made_);
    if (unsettled.empty()) {
      RemoveStage(edits_.get(), id_);
      return status;
    }
    Rename(stage_.get(), kJournal, stage_.get(), kUnsettled,
           RenameMode::kNoReplace);
    return Unsettled(unsettled, status);
  }

 private:
  struct Target {
    NamedFile file;
    std::optional<FileTraits> traits;
  };

  absl::Status Prepare() {
    Step("make the folder");
    if (::mkdirat(edits_.get(), id_.c_str(), 0700) != 0) {
      return NotWritable(kEditsFolder, errno);
    }
    stage_.Reset(::openat(edits_.get(), id_.c_str(),
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    stage_traits_ = TraitsOf(edits_.get(), id_);
    if (!stage_.is_open() || !stage_traits_) {
      return NotWritable(kEditsFolder, errno);
    }
    for (size_t i = 0; i < changes_.size(); ++i) {
      RETURN_IF_ERROR(PrepareChange(i));
    }
    Step("write the journal");
    RETURN_IF_ERROR(WriteNew(stage_.get(), kNewJournal, ToText(journal_), -1));
    Step("name the journal");
    const int error = Rename(stage_.get(), kNewJournal, stage_.get(), kJournal,
                             RenameMode::kNoReplace);
    if (error != 0) return NotWritable(kEditsFolder, error);
    RETURN_IF_ERROR(SyncFolder(stage_.get()));
    return SyncFolder(edits_.get());
  }

  absl::Status PrepareChange(size_t index) {
    const DraftChange& change = changes_[index];
    JournalStep step{.path = change.path,
                     .kind = StepKind::kExchange,
                     .before = change.before ? HashOf(*change.before) : "",
                     .after = change.after ? HashOf(*change.after) : ""};
    if (!change.before) {
      RETURN_IF_ERROR(PrepareCreation(index, change, &step));
      journal_.steps.push_back(std::move(step));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const NamedFile file, FindFolder(root_, change.path));
    const std::optional<FileTraits> traits =
        TraitsOf(file.folder.get(), file.name);
    ASSIGN_OR_RETURN(const auto now, ReadNamed(file.folder.get(), file.name));
    if (!traits || now != change.before) return ChangedMeanwhile(change, now);
    if (traits->is_write_protected) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_PATH_FORBIDDEN,
          absl::StrCat(change.path,
                       " is write-protected (by its mode, or for "
                       "this server's user). Change that first if "
                       "it is meant to be edited. Nothing was "
                       "changed."));
    }
    const bool may_rename = traits->mount == stage_traits_->mount &&
                            !traits->is_mount_point &&
                            MayRenameIn(file.folder.get());
    const UniqueFd old(::openat(file.folder.get(), file.name.c_str(),
                                O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!change.after) {
      if (traits->is_mount_point || !MayRenameIn(file.folder.get())) {
        return NotWritable(change.path, EPERM);
      }
      step.kind = may_rename ? StepKind::kDelete : StepKind::kDeleteInPlace;
      if (!may_rename) RETURN_IF_ERROR(Save(index, *change.before, old.get()));
      journal_.steps.push_back(std::move(step));
      return absl::OkStatus();
    }
    absl::Status staged = absl::UnimplementedError("links");
    Step(absl::StrCat("stage ", index));
    if (may_rename && traits->links == 1) {
      staged =
          WriteNew(stage_.get(), StagedName(index), *change.after, old.get());
      if (absl::IsUnimplemented(staged)) {
        ::unlinkat(stage_.get(), StagedName(index).c_str(), 0);
      }
    }
    if (absl::IsUnimplemented(staged)) {
      step.kind = StepKind::kWriteInPlace;
      RETURN_IF_ERROR(Save(index, *change.before, -1));
      staged = WriteNew(stage_.get(), StagedName(index), *change.after, -1);
    }
    RETURN_IF_ERROR(staged);
    journal_.steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  absl::Status PrepareCreation(size_t index, const DraftChange& change,
                               JournalStep* step) {
    step->kind = StepKind::kCreate;
    // The innermost folder that is there; the others are made later.
    std::string folder = change.path;
    std::vector<std::string> missing;
    std::optional<FileTraits> above;
    UniqueFd parent;
    while (true) {
      const size_t slash = folder.rfind('/');
      folder = slash == std::string::npos ? "" : folder.substr(0, slash);
      parent = OpenUnlinked(root_.fd(), folder, O_RDONLY | O_DIRECTORY);
      if (parent.is_open()) {
        if (!MayRenameIn(parent.get())) return NotWritable(change.path, EACCES);
        above = TraitsOf(parent.get(), ".");
        break;
      }
      if (errno != ENOENT || folder.empty()) {
        return rpc::Error(rpc::v1::ERROR_REASON_NOT_A_DIRECTORY,
                          absl::StrCat(folder, " is no folder"));
      }
      missing.insert(missing.begin(), folder);
    }
    for (std::string& each : missing) {
      if (known_folders_.insert(each).second) {
        journal_.new_folders.push_back(std::move(each));
      }
    }
    if (!above || above->mount != stage_traits_->mount) {
      step->kind = StepKind::kCreateInPlace;
    }
    UniqueFd like;
    if (!change.attributes_of.empty()) {
      const std::optional<FileTraits> source =
          TraitsOf(root_.fd(), change.attributes_of);
      if (!source || !above || source->mount != above->mount) {
        return OnOtherDisk(change);
      }
      like = OpenUnlinked(root_.fd(), change.attributes_of, O_RDONLY);
    }
    Step(absl::StrCat("stage ", index));
    absl::Status staged =
        WriteNew(stage_.get(), StagedName(index), *change.after, like.get());
    // A file that moves loses what this process may not give it.
    if (absl::IsUnimplemented(staged)) {
      ::unlinkat(stage_.get(), StagedName(index).c_str(), 0);
      staged = WriteNew(stage_.get(), StagedName(index), *change.after, -1);
    }
    if (staged.ok() && !like.is_open()) {
      Inherit(parent.get(), stage_.get(), StagedName(index));
    }
    return staged;
  }

  absl::Status Save(size_t index, absl::string_view bytes, int like) {
    Step(absl::StrCat("save ", index));
    absl::Status saved = WriteNew(stage_.get(), SavedName(index), bytes, like);
    if (!absl::IsUnimplemented(saved)) return saved;
    ::unlinkat(stage_.get(), SavedName(index).c_str(), 0);
    return WriteNew(stage_.get(), SavedName(index), bytes, -1);
  }

  absl::Status Apply() {
    for (const std::string& folder : journal_.new_folders) {
      Step(absl::StrCat("make ", folder));
      ASSIGN_OR_RETURN(const NamedFile found, FindFolder(root_, folder));
      if (::mkdirat(found.folder.get(), found.name.c_str(), 0777) != 0 &&
          errno != EEXIST) {
        return NotWritable(folder, errno);
      }
      RETURN_IF_ERROR(SyncFolder(found.folder.get()));
    }
    for (size_t i = 0; i < changes_.size(); ++i) {
      Step(absl::StrCat("change ", i));
      RETURN_IF_ERROR(ApplyStep(i));
    }
    // A descriptor that was open before may have written to what we took out.
    for (size_t i = 0; i < changes_.size(); ++i) {
      RETURN_IF_ERROR(CheckDisplaced(i));
    }
    return absl::OkStatus();
  }

  absl::Status ApplyStep(size_t index) {
    const DraftChange& change = changes_[index];
    const StepKind kind = journal_.steps[index].kind;
    ASSIGN_OR_RETURN(NamedFile file, FindFolder(root_, change.path));
    const int folder = file.folder.get();
    int error = 0;
    switch (kind) {
      case StepKind::kExchange:
        error = Rename(stage_.get(), StagedName(index), folder, file.name,
                       RenameMode::kExchange);
        break;
      case StepKind::kCreate:
        error = Rename(stage_.get(), StagedName(index), folder, file.name,
                       RenameMode::kNoReplace);
        break;
      case StepKind::kDelete:
        error = Rename(folder, file.name, stage_.get(), SavedName(index),
                       RenameMode::kNoReplace);
        break;
      case StepKind::kWriteInPlace:
      case StepKind::kDeleteInPlace: {
        ASSIGN_OR_RETURN(const auto now, ReadNamed(folder, file.name));
        if (now != change.before) return ChangedMeanwhile(change, now);
        if (kind == StepKind::kWriteInPlace) {
          made_ = index + 1;  // Perhaps in part.
          RETURN_IF_ERROR(WriteOver(folder, file.name, *change.after));
        } else if (::unlinkat(folder, file.name.c_str(), 0) != 0) {
          error = errno;
        }
        break;
      }
      case StepKind::kCreateInPlace:
        if (TraitsOf(folder, file.name)) {
          error = EEXIST;
        } else {
          made_ = index + 1;
          RETURN_IF_ERROR(CreateInPlace(index, folder, file.name));
        }
        break;
    }
    if (error == EEXIST || error == ENOENT) {
      ASSIGN_OR_RETURN(const auto now, ReadNamed(folder, file.name));
      return ChangedMeanwhile(change, now);
    }
    if (error != 0) return NotWritable(change.path, error);
    made_ = index + 1;
    RETURN_IF_ERROR(CheckDisplaced(index));
    folders_.push_back(std::move(file.folder));
    return absl::OkStatus();
  }

  // A file that moves takes along what its staged text was given.
  absl::Status CreateInPlace(size_t index, int folder,
                             const std::string& name) const {
    const DraftChange& change = changes_[index];
    UniqueFd like;
    if (!change.attributes_of.empty()) {
      like.Reset(::openat(stage_.get(), StagedName(index).c_str(),
                          O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    }
    absl::Status made = WriteNew(folder, name, *change.after, like.get());
    if (!absl::IsUnimplemented(made)) return made;
    ::unlinkat(folder, name.c_str(), 0);
    return WriteNew(folder, name, *change.after, -1);
  }

  // What came out is what the change was made for.
  absl::Status CheckDisplaced(size_t index) const {
    const StepKind kind = journal_.steps[index].kind;
    const bool is_exchange = kind == StepKind::kExchange;
    if (!is_exchange && kind != StepKind::kDelete) return absl::OkStatus();
    ASSIGN_OR_RETURN(const auto displaced,
                     ReadNamed(stage_.get(), is_exchange ? StagedName(index)
                                                         : SavedName(index)));
    if (displaced == changes_[index].before) return absl::OkStatus();
    return ChangedMeanwhile(changes_[index], displaced);
  }

  absl::Status Seal() {
    Step("sync the folders");
    for (const UniqueFd& folder : folders_) {
      RETURN_IF_ERROR(SyncFolder(folder.get()));
    }
    RETURN_IF_ERROR(SyncFolder(stage_.get()));
    Step("finish the journal");
    const int error = Rename(stage_.get(), kJournal, stage_.get(), kDone,
                             RenameMode::kNoReplace);
    if (error != 0) return NotWritable(kEditsFolder, error);
    Step("sync the end");
    // From here on the edit stands, whatever happens.
    SyncFolder(stage_.get()).IgnoreError();
    return absl::OkStatus();
  }

  absl::Status Unsettled(const std::vector<std::string>& unsettled,
                         const absl::Status& why) const {
    rpc::ErrorDetail detail;
    detail.set_reason(rpc::v1::ERROR_REASON_OUTCOME_UNKNOWN);
    detail.set_transaction(id_);
    return rpc::Error(
        std::move(detail),
        absl::StrCat("the edit failed (", why.message(),
                     ") and these files, changed by somebody else meanwhile, "
                     "were left as they are: ",
                     absl::StrJoin(unsettled, ", "),
                     ". Read them before you go on."));
  }

  void Step(absl::string_view name) const { options_.on_step(name); }

  const RootDirectory& root_;
  const std::vector<DraftChange>& changes_;
  const CommitOptions& options_;
  std::string id_;
  UniqueFd edits_;
  UniqueFd stage_;
  std::optional<FileTraits> stage_traits_;
  EditJournal journal_;
  size_t made_ = 0;  // Steps that were made, the last one perhaps in part.
  std::set<std::string> known_folders_;
  std::vector<UniqueFd> folders_;  // To be synced.
};

}  // namespace

absl::StatusOr<std::string> CommitChanges(
    const RootDirectory& root, const std::vector<DraftChange>& changes,
    const CommitOptions& options) {
  return Transaction(root, changes, options).Run();
}

}  // namespace banyan::lspd
