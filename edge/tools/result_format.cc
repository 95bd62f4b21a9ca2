// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/result_format.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "edge/tools/cursor.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kTrimmedNote[] = "the ends of long entries";
// Shorter pieces are not worth a cut.
constexpr size_t kWorthTrimming = 200;

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

int64_t BudgetOf(const json& arguments) {
  const int64_t asked = arguments.value("max_answer_chars", int64_t{-1});
  if (asked == -1) return kMaxAnswerChars;
  return std::clamp(asked, kMinAnswerChars, kMaxAnswerChars);
}

void Note(json& content, absl::string_view left_out) {
  json& notes = content["left_out"];
  if (!notes.is_array()) notes = json::array();
  if (std::find(notes.begin(), notes.end(), std::string(left_out)) ==
      notes.end()) {
    notes.push_back(std::string(left_out));
  }
}

std::string TextOf(const json& content, const std::string& text_member,
                   const std::string& compact) {
  return text_member.empty() ? compact
                             : content.at(text_member).get<std::string>();
}

// Both copies.
int64_t CharsOf(const json& content, const std::string& text_member) {
  const std::string compact = Compact(content);
  return CountChars(compact) +
         CountChars(TextOf(content, text_member, compact));
}

FormattedResult Render(json content, const std::string& text_member) {
  FormattedResult formatted;
  const std::string compact = Compact(content);
  formatted.text = TextOf(content, text_member, compact);
  formatted.chars = CountChars(compact) + CountChars(formatted.text);
  formatted.structured = std::move(content);
  return formatted;
}

// What identifies something, or says what is missing.
bool IsUntouchable(const std::string& member) {
  return member == "workspace" || member == "hash" ||
         member == "relative_path" || member == "next_cursor" ||
         member == "incomplete" || member == "left_out";
}

// The string or nested array within `value` that takes most room, or null.
json* Heaviest(json& value, size_t& weight) {
  json* heaviest = nullptr;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (value.is_object() && IsUntouchable(item.key())) continue;
    json& inner = *item;
    size_t own = 0;
    if (inner.is_string()) {
      own = inner.get_ref<const std::string&>().size();
    } else if (inner.is_array() && inner.size() > 1) {
      own = Compact(inner).size();
    }
    if (own > weight) {
      weight = own;
      heaviest = &inner;
    }
    // Texts give way before the lists that hold them do.
    if (inner.is_structured()) {
      const bool is_list = heaviest == &inner && inner.is_array();
      size_t within = is_list ? weight / 2 : weight;
      json* const deeper = Heaviest(inner, within);
      if (deeper != nullptr) {
        weight = within;
        heaviest = deeper;
      }
    }
  }
  return heaviest;
}

// Halves the heaviest piece until all fits or nothing is left to halve.
void Trim(json& page, const std::string& text_member, int64_t budget) {
  while (CharsOf(page, text_member) > budget) {
    size_t weight = kWorthTrimming;
    json* const piece = Heaviest(page, weight);
    if (piece == nullptr) return;
    if (piece->is_array()) {
      piece->erase(piece->begin() +
                       static_cast<json::difference_type>(piece->size() / 2),
                   piece->end());
    } else {
      std::string text = piece->get<std::string>();
      size_t end = text.size() / 2;
      while (end > 0 && IsContinuation(text[end])) --end;
      text.resize(end);
      *piece = absl::StrCat(text, "…");
    }
    Note(page, kTrimmedNote);
  }
}

// Cuts one result into pages.
class Pager {
 public:
  Pager(const ToolSpec& spec, const ToolCall& call, const ToolResult& result,
        std::string result_digest, EdgeKeys& keys)
      : spec_(spec),
        call_(call),
        result_(result),
        result_digest_(std::move(result_digest)),
        budget_(BudgetOf(call.arguments)),
        keys_(keys) {}

  bool Fits(const json& content) const {
    return CharsOf(content, result_.text_member) <= budget_;
  }

  // Where the call's cursor points; 0 without one.
  absl::StatusOr<size_t> Start() const {
    const std::string sealed = call_.arguments.value("cursor", "");
    if (sealed.empty()) return 0;
    ASSIGN_OR_RETURN(const Cursor cursor,
                     OpenCursor(sealed, keys_, call_.context));
    if (cursor.tool != spec_.name ||
        cursor.arguments_digest != ArgumentsDigest()) {
      return rpc::Error(
          rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
          "The cursor belongs to another call. Repeat the arguments of the "
          "call that gave it, or ask again without cursor.");
    }
    if (cursor.result_digest != result_digest_) {
      return rpc::Error(rpc::v1::ERROR_REASON_CURSOR_STALE,
                        "The result has changed since the cursor was given. "
                        "Ask again without cursor.");
    }
    return static_cast<size_t>(cursor.offset);
  }

  // As many items from `first` on as fit, at least one.
  absl::StatusOr<json> PageFrom(size_t first) const {
    const size_t total = result_.paging.count(result_.content);
    const size_t left = total - std::min(first, total);
    size_t count = LargestFitting(first, left);
    json page = result_.paging.slice(result_.content, first, count);
    if (first + count < total) {
      ASSIGN_OR_RETURN(page["next_cursor"],
                       SealCursor({.tool = spec_.name,
                                   .arguments_digest = ArgumentsDigest(),
                                   .result_digest = result_digest_,
                                   .offset = first + count},
                                  keys_, call_.context));
    }
    Trim(page, result_.text_member, budget_);
    return page;
  }

 private:
  // Both sizes are found by doubling, so that no probe is much larger than
  // what fits.
  size_t LargestFitting(size_t first, size_t left) const {
    const auto fits = [&](size_t count) {
      json page = result_.paging.slice(result_.content, first, count);
      page["next_cursor"] = std::string(kCursorRoom, 'x');
      return Fits(page);
    };
    size_t good = std::min<size_t>(left, 1);
    size_t step = 1;
    while (good < left && fits(std::min(left, good + step))) {
      good = std::min(left, good + step);
      step *= 2;
    }
    for (; step > 0; step /= 2) {
      if (good + step <= left && fits(good + step)) good += step;
    }
    return good;
  }

  std::string ArgumentsDigest() const {
    json arguments = call_.arguments;
    arguments.erase("cursor");
    arguments.erase("max_answer_chars");
    return ShortDigest(Compact(arguments));
  }

  static constexpr size_t kCursorRoom = 240;

  const ToolSpec& spec_;
  const ToolCall& call_;
  const ToolResult& result_;
  const std::string result_digest_;
  const int64_t budget_;
  EdgeKeys& keys_;
};

}  // namespace

absl::StatusOr<FormattedResult> FormatResult(const ToolSpec& spec,
                                             const ToolCall& call,
                                             ToolResult result,
                                             EdgeKeys& keys) {
  const Pager pager(spec, call, result, ShortDigest(Compact(result.content)),
                    keys);
  ASSIGN_OR_RETURN(const size_t first, pager.Start());
  // Pages behind the first are cut from what the first was cut from.
  for (const Shortening& shortening : result.shortenings) {
    if (first == 0 && pager.Fits(result.content)) break;
    shortening.apply(result.content);
    Note(result.content, shortening.left_out);
  }
  if ((first == 0 && pager.Fits(result.content)) || !result.paging.count) {
    return Render(std::move(result.content), result.text_member);
  }
  ASSIGN_OR_RETURN(json page, pager.PageFrom(first));
  return Render(std::move(page), result.text_member);
}

std::string Compact(const json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false,
                    json::error_handler_t::replace);
}

int64_t CountChars(absl::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char byte) { return !IsContinuation(byte); });
}

}  // namespace banyan::edge
