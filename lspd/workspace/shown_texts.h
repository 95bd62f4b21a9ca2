// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_SHOWN_TEXTS_H_
#define LSPD_WORKSPACE_SHOWN_TEXTS_H_

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/strings/string_view.h"

namespace banyan::lspd {

class Workspace;

// Which text of a file each handle saw last, and those texts, so that an edit
// of another text can be refused with the difference. Bounded: what is
// forgotten counts as never shown.
//
// Thread-safe. One per root.
class ShownTexts {
 public:
  struct Options {
    size_t max_text_bytes = 32 << 20;  // Of all texts together.
    size_t max_shown = 50'000;         // Files of handles.
  };

  static std::shared_ptr<ShownTexts> Of(const Workspace& workspace);

  explicit ShownTexts(Options options) : options_(options) {}

  // The handle was given this file, or a part of it. Without a handle only the
  // text is kept.
  void Note(absl::string_view handle_hash, absl::string_view path,
            absl::string_view hash, absl::string_view text);

  // The handle knows that the file is gone.
  void Forget(absl::string_view handle_hash, absl::string_view path);

  std::optional<std::string> LastHash(absl::string_view handle_hash,
                                      absl::string_view path) const;
  std::shared_ptr<const std::string> TextOf(absl::string_view hash) const;

 private:
  using Key = std::pair<std::string, std::string>;  // Handle and path.
  struct Text {
    std::shared_ptr<const std::string> text;
    std::list<std::string>::iterator age;
  };

  const Options options_;
  mutable std::mutex mutex_;
  std::map<Key, std::string> shown_;             // Guarded by mutex_.
  std::unordered_map<std::string, Text> texts_;  // Guarded by mutex_. By hash.
  std::list<std::string> by_age_;  // Guarded by mutex_. Oldest first.
  size_t bytes_ = 0;               // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_SHOWN_TEXTS_H_
