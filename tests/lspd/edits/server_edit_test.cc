// SPDX-License-Identifier: Apache-2.0
#include "lspd/edits/server_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lspd/protocol/file_uri.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_workspace.h"

namespace banyan::lspd {
namespace {

using nlohmann::json;

// Where a character begins, as bytes and as LSP counts.
struct Place {
  size_t offset = 0;
  int line = 0;
  std::map<PositionEncoding, int> character;
};

// Every place of a text that an edit may name: before each character and at the
// end, not within CRLF.
std::vector<Place> PlacesOf(const std::string& text) {
  std::vector<Place> places;
  Place at{.character = {{PositionEncoding::kUtf8, 0},
                         {PositionEncoding::kUtf16, 0},
                         {PositionEncoding::kUtf32, 0}}};
  while (true) {
    places.push_back(at);
    if (at.offset == text.size()) return places;
    const auto byte = static_cast<unsigned char>(text[at.offset]);
    const bool is_pair = text.compare(at.offset, 2, "\r\n") == 0;
    if (is_pair || byte == '\n') {
      at.offset += is_pair ? 2 : 1;
      ++at.line;
      for (auto& [encoding, count] : at.character) count = 0;
      continue;
    }
    const int bytes = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    at.offset += static_cast<size_t>(bytes);
    at.character[PositionEncoding::kUtf8] += bytes;
    at.character[PositionEncoding::kUtf16] += bytes == 4 ? 2 : 1;
    at.character[PositionEncoding::kUtf32] += 1;
  }
}

json ToJson(const Place& place, PositionEncoding encoding) {
  return {{"line", place.line}, {"character", place.character.at(encoding)}};
}

// A random edit of a few files, made as a server would say it and, beside that,
// on a plain map.
class RandomEdit {
 public:
  using Files = std::map<std::string, std::string>;

  RandomEdit(std::string root, uint32_t seed)
      : root_(std::move(root)), random_(seed) {
    constexpr PositionEncoding kEncodings[] = {PositionEncoding::kUtf8,
                                               PositionEncoding::kUtf16,
                                               PositionEncoding::kUtf32};
    encoding_ = kEncodings[Below(3)];
    for (const char* name : {"a.txt", "b.txt", "in/c.txt", "in/d.txt"}) {
      if (Below(5) > 0) files_[name] = NewText();
    }
    start_ = files_;
  }

  void Make() {
    const size_t count = 1 + Below(5);
    for (size_t i = 0; i < count && is_valid_; ++i) {
      switch (Below(6)) {
        case 0:
          Create();
          break;
        case 1:
          Delete();
          break;
        case 2:
          Rename();
          break;
        default:
          EditTexts();
      }
    }
  }

  const Files& start() const { return start_; }
  const Files& files() const { return files_; }
  PositionEncoding encoding() const { return encoding_; }
  bool is_valid() const { return is_valid_; }
  json edit() const { return {{"documentChanges", changes_}}; }

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  bool Maybe() { return Below(2) == 0; }
  std::string Uri(const std::string& path) const {
    return FileUri(absl::StrCat(root_, "/", path));
  }
  std::string AnyPath() {
    constexpr const char* kPaths[] = {"a.txt", "b.txt", "in/c.txt", "in/d.txt",
                                      "new/e.txt"};
    return kPaths[Below(5)];
  }

  std::string NewText() {
    const std::string line_end = Maybe() ? "\n" : "\r\n";
    constexpr const char* kParts[] = {"a", "b", "\xC3\xA9", "\xF0\x9F\x98\x80",
                                      "\t"};
    std::string text;
    for (size_t i = Below(60); i > 0; --i) {
      const size_t part = Below(7);
      text += part < 5 ? kParts[part] : line_end;
    }
    return text;
  }

  void Create() {
    const std::string path = AnyPath();
    const bool overwrite = Maybe();
    const bool ignore = Maybe();
    changes_.push_back(
        {{"kind", "create"},
         {"uri", Uri(path)},
         {"options", {{"overwrite", overwrite}, {"ignoreIfExists", ignore}}}});
    const bool is_there = files_.count(path) > 0;
    if (is_there && !overwrite && ignore) return;
    if (is_there && !overwrite) {
      is_valid_ = false;
      return;
    }
    files_[path] = "";
    edited_.erase(path);
  }

  void Delete() {
    const std::string path = AnyPath();
    const bool ignore = Maybe();
    changes_.push_back({{"kind", "delete"},
                        {"uri", Uri(path)},
                        {"options", {{"ignoreIfNotExists", ignore}}}});
    if (files_.erase(path) == 0 && !ignore) is_valid_ = false;
  }

  void Rename() {
    const std::string from = AnyPath();
    const std::string to = AnyPath();
    const bool overwrite = Maybe();
    const bool ignore = Maybe();
    if (from == to) return;
    changes_.push_back(
        {{"kind", "rename"},
         {"oldUri", Uri(from)},
         {"newUri", Uri(to)},
         {"options", {{"overwrite", overwrite}, {"ignoreIfExists", ignore}}}});
    const auto source = files_.find(from);
    if (files_.count(to) > 0 && !overwrite) {
      is_valid_ = ignore;
      return;
    }
    if (source == files_.end()) {
      is_valid_ = false;
      return;
    }
    files_[to] = source->second;
    files_.erase(from);
    // Its text is what the edit made it: further edits are of that one.
    edited_.erase(to);
  }

  // A few edits of one text, in any order, perhaps in two entries.
  void EditTexts() {
    const std::string path = AnyPath();
    const auto file = files_.find(path);
    if (file == files_.end() || !edited_.insert(path).second) return;
    const std::string original = file->second;
    const std::string line_end =
        absl::StrContains(original, "\r\n") ? "\r\n" : "\n";
    const std::vector<Place> places = PlacesOf(original);
    struct Edit {
      size_t begin;
      size_t end;
      json lsp;
      std::string text;
    };
    std::vector<Edit> edits;
    size_t at = Below(places.size());
    while (at < places.size() && edits.size() < 6) {
      const size_t end = std::min(places.size() - 1, at + Below(4));
      const std::string text = Maybe() ? "x\ny" : Maybe() ? "" : "\xC3\xA4";
      edits.push_back({.begin = places[at].offset,
                       .end = places[end].offset,
                       .lsp = {{"range",
                                {{"start", ToJson(places[at], encoding_)},
                                 {"end", ToJson(places[end], encoding_)}}},
                               {"newText", text}},
                       .text = absl::StrReplaceAll(text, {{"\n", line_end}})});
      // Past it, or right behind: two insertions may share a place.
      at = end + Below(3);
    }
    if (edits.size() > 1 && Below(20) == 0) {
      // A server at its wits' end: one edit within another.
      Edit twice = edits.front();
      if (twice.begin < twice.end) {
        edits.push_back(twice);
        is_valid_ = false;
      }
    }
    std::string& text = file->second;
    for (auto edit = edits.rbegin(); is_valid_ && edit != edits.rend();
         ++edit) {
      text = text.substr(0, edit->begin) + edit->text + text.substr(edit->end);
    }
    if (Maybe()) {
      // Order matters only among edits that begin and end at one place.
      std::stable_sort(edits.begin(), edits.end(),
                       [](const Edit& a, const Edit& b) {
                         return std::make_pair(a.begin, a.end) >
                                std::make_pair(b.begin, b.end);
                       });
    }
    const size_t split = Below(edits.size() + 1);
    json parts[2] = {json::array(), json::array()};
    for (size_t i = 0; i < edits.size(); ++i) {
      parts[i < split ? 0 : 1].push_back(edits[i].lsp);
    }
    for (json& part : parts) {
      changes_.push_back(
          {{"textDocument", {{"uri", Uri(path)}, {"version", nullptr}}},
           {"edits", std::move(part)}});
    }
  }

  const std::string root_;
  std::mt19937 random_;  // NOLINT: the same edits each time.
  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  Files start_;
  Files files_;
  std::set<std::string> edited_;
  json changes_ = json::array();
  bool is_valid_ = true;
};

class ServerEditTest : public testing::Test {
 protected:
  // The files of `made` on disk, and its edit as a server said it of them.
  ServerEdit EditOf(const RandomEdit& made) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directories(folder_.path());
    ServerEdit edit{.edit = *WorkspaceEditFromJson(made.edit()),
                    .encoding = made.encoding()};
    root_ = *RootDirectory::Open(folder_.path(), {});
    for (const auto& [path, text] : made.start()) {
      folder_.Write(path, text);
      edit.texts.emplace(path, std::make_shared<const SourceFile>(
                                   path, *root_->ReadFile(path)));
    }
    return edit;
  }

  TempWorkspace folder_;
  std::shared_ptr<RootDirectory> root_;
};

TEST_F(ServerEditTest, RandomEditsComeToWhatAModelSaysOrAreRefused) {
  const uint32_t rounds =
      std::getenv("BANYAN_TEST_FULL") != nullptr ? 50'000 : 1'000;
  uint32_t made = 0;
  for (uint32_t seed = 0; seed < rounds; ++seed) {
    RandomEdit random(folder_.path(), seed);
    random.Make();
    const ServerEdit edit = EditOf(random);
    Draft draft(*root_);
    const absl::Status applied = ApplyServerEdit(edit, folder_.path(), draft);
    if (!random.is_valid()) {
      EXPECT_FALSE(applied.ok()) << "seed " << seed << random.edit().dump(1);
      continue;
    }
    ASSERT_THAT(applied, IsOk()) << "seed " << seed << random.edit().dump(1);
    std::map<std::string, std::string> now = random.start();
    for (const DraftChange& change : draft.Changes()) {
      now.erase(change.path);
      if (change.after) now[change.path] = *change.after;
    }
    ASSERT_EQ(now, random.files()) << "seed " << seed << random.edit().dump(1);
    ++made;
  }
  EXPECT_GT(made, rounds / 3);
}

// Between the server's answer and the edit somebody saved.
TEST_F(ServerEditTest, ATextThatTheServerDidNotHaveIsNotEdited) {
  uint32_t edited = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomEdit random(folder_.path(), seed);
    random.Make();
    const ServerEdit edit = EditOf(random);
    if (!random.is_valid() || edit.edit.changes.empty()) continue;
    const DocumentChange& first = edit.edit.changes.front();
    if (first.kind != DocumentChange::Kind::kEdit) continue;
    const std::string path =
        PathOfFileUri(first.uri)->substr(folder_.path().size() + 1);
    folder_.Write(path, absl::StrCat("\n", random.start().at(path)));
    Draft draft(*root_);
    EXPECT_THAT(ApplyServerEdit(edit, folder_.path(), draft),
                HasReason(rpc::v1::ERROR_REASON_CONFLICT))
        << "seed " << seed;
    ++edited;
  }
  EXPECT_GT(edited, 20U);
}

TEST_F(ServerEditTest, APlaceWithinACharacterIsRefused) {
  folder_.Write("a.txt", "\xF0\x9F\x98\x80x\n");
  root_ = *RootDirectory::Open(folder_.path(), {});
  const auto file =
      std::make_shared<const SourceFile>("a.txt", *root_->ReadFile("a.txt"));
  const std::vector<std::pair<int, bool>> places = {
      {0, true}, {1, false}, {2, true}, {3, true}, {4, false}};
  for (const auto& [character, is_right] : places) {
    ServerEdit edit{.encoding = PositionEncoding::kUtf16};
    edit.texts.emplace("a.txt", file);
    const LspPosition at{0, character};
    edit.edit.changes.push_back(
        {.uri = FileUri(folder_.PathOf("a.txt")),
         .edits = {{.range = {at, at}, .new_text = "y"}}});
    Draft draft(*root_);
    EXPECT_EQ(ApplyServerEdit(edit, folder_.path(), draft).ok(), is_right)
        << character;
  }
}

}  // namespace
}  // namespace banyan::lspd
