// SPDX-License-Identifier: Apache-2.0
#include "lspd/server/compile_entries.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

namespace banyan::lspd {
namespace {

using nlohmann::json;

// How many brackets are open where these things stand.
constexpr int kInList = 1;
constexpr int kInEntry = 2;
constexpr int kInArguments = 3;

class EntryReader final : public json::json_sax_t {
 public:
  explicit EntryReader(const std::function<void(CompileEntry)>& take)
      : take_(take) {}

  bool null() override { return IsInList(); }
  bool boolean(bool) override { return IsInList(); }
  bool number_integer(number_integer_t) override { return IsInList(); }
  bool number_unsigned(number_unsigned_t) override { return IsInList(); }
  bool number_float(number_float_t, const string_t&) override {
    return IsInList();
  }
  bool binary(binary_t&) override { return IsInList(); }

  bool string(string_t& text) override {
    if (depth_ == kInArguments && is_in_arguments_) {
      entry_.arguments.push_back(std::move(text));
    } else if (std::string* const member = TextMember()) {
      *member = std::move(text);
    }
    return IsInList();
  }

  bool start_object(size_t) override {
    if (++depth_ == kInEntry) {
      entry_ = CompileEntry();
      is_in_entry_ = true;
    }
    return depth_ > kInList;
  }

  bool key(string_t& name) override {
    if (depth_ == kInEntry) key_ = std::move(name);
    return true;
  }

  bool end_object() override {
    if (depth_-- == kInEntry) {
      is_in_entry_ = false;
      take_(std::move(entry_));
    }
    return true;
  }

  bool start_array(size_t) override {
    if (++depth_ == kInArguments && is_in_entry_ && key_ == "arguments") {
      entry_.arguments.clear();
      is_in_arguments_ = true;
    }
    return true;
  }

  bool end_array() override {
    if (depth_-- == kInArguments) is_in_arguments_ = false;
    return true;
  }

  bool parse_error(size_t, const std::string&,
                   const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  // A value that stands alone is no list.
  bool IsInList() const { return depth_ >= kInList; }

  std::string* TextMember() {
    if (depth_ != kInEntry || !is_in_entry_) return nullptr;
    if (key_ == "directory") return &entry_.directory;
    if (key_ == "file") return &entry_.file;
    if (key_ == "command") return &entry_.command;
    if (key_ == "output") return &entry_.output;
    return nullptr;
  }

  const std::function<void(CompileEntry)>& take_;
  int depth_ = 0;
  bool is_in_entry_ = false;
  bool is_in_arguments_ = false;
  std::string key_;  // Of the entry's member that comes next.
  CompileEntry entry_;
};

}  // namespace

bool ReadCompileEntries(absl::string_view text,
                        const std::function<void(CompileEntry)>& take) {
  EntryReader reader(take);
  return json::sax_parse(text.begin(), text.end(), &reader);
}

std::string ToJsonText(const CompileEntry& entry) {
  json object = {{"directory", entry.directory}, {"file", entry.file}};
  if (!entry.command.empty()) object["command"] = entry.command;
  if (!entry.arguments.empty()) object["arguments"] = entry.arguments;
  if (!entry.output.empty()) object["output"] = entry.output;
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace banyan::lspd
