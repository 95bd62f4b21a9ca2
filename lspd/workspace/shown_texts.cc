// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/shown_texts.h"

#include "lspd/workspace/workspace.h"

namespace banyan::lspd {

std::shared_ptr<ShownTexts> ShownTexts::Of(const Workspace& workspace) {
  return workspace.State<ShownTexts>(
      [] { return std::make_shared<ShownTexts>(Options{}); });
}

void ShownTexts::Note(absl::string_view handle_hash, absl::string_view path,
                      absl::string_view hash, absl::string_view text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!handle_hash.empty()) {
    if (shown_.size() >= options_.max_shown) shown_.clear();
    shown_[{std::string(handle_hash), std::string(path)}] = std::string(hash);
  }
  const auto known = texts_.find(std::string(hash));
  if (known != texts_.end()) {
    by_age_.splice(by_age_.end(), by_age_, known->second.age);
    return;
  }
  if (text.size() > options_.max_text_bytes / 4) return;
  bytes_ += text.size();
  texts_[std::string(hash)] = {
      .text = std::make_shared<const std::string>(text),
      .age = by_age_.insert(by_age_.end(), std::string(hash))};
  while (bytes_ > options_.max_text_bytes) {
    const auto oldest = texts_.find(by_age_.front());
    bytes_ -= oldest->second.text->size();
    texts_.erase(oldest);
    by_age_.pop_front();
  }
}

void ShownTexts::Forget(absl::string_view handle_hash, absl::string_view path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  shown_.erase({std::string(handle_hash), std::string(path)});
}

std::optional<std::string> ShownTexts::LastHash(absl::string_view handle_hash,
                                                absl::string_view path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = shown_.find({std::string(handle_hash), std::string(path)});
  if (found == shown_.end()) return std::nullopt;
  return found->second;
}

std::shared_ptr<const std::string> ShownTexts::TextOf(
    absl::string_view hash) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = texts_.find(std::string(hash));
  return found == texts_.end() ? nullptr : found->second.text;
}

}  // namespace banyan::lspd
