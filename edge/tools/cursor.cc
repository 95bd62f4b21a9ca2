// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/cursor.h"

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "edge/tools/sealed_text.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/grant.h"

namespace banyan::edge {
namespace {

constexpr char kPurpose[] = "cursor 2";
// Ours are near 200 characters.
constexpr size_t kMaxSealedChars = 1024;

absl::Status NotOurs() {
  return rpc::Error(rpc::v1::ERROR_REASON_ARGUMENT_INVALID,
                    "The cursor is not one that this server gave out. Pass "
                    "next_cursor unchanged, or ask again without cursor.");
}

}  // namespace

absl::StatusOr<std::string> SealCursor(const Cursor& cursor, EdgeKeys& keys,
                                       const rpc::CallContext& call) {
  return Seal(kPurpose,
              absl::StrJoin({cursor.tool, cursor.arguments_digest,
                             cursor.result_digest, absl::StrCat(cursor.offset)},
                            "\n"),
              keys, call);
}

absl::StatusOr<Cursor> OpenCursor(absl::string_view sealed, EdgeKeys& keys,
                                  const rpc::CallContext& call) {
  if (sealed.size() > kMaxSealedChars) return NotOurs();
  const absl::StatusOr<std::string> text = Unseal(kPurpose, sealed, keys, call);
  if (absl::IsNotFound(text.status())) {
    return rpc::Error(rpc::v1::ERROR_REASON_CURSOR_STALE,
                      "The cursor is too old. Ask again without cursor.");
  }
  if (absl::IsInvalidArgument(text.status())) return NotOurs();
  if (!text.ok()) return text.status();
  const std::vector<std::string> fields = absl::StrSplit(*text, '\n');
  Cursor cursor;
  if (fields.size() != 4 || !absl::SimpleAtoi(fields[3], &cursor.offset)) {
    return NotOurs();
  }
  cursor.tool = fields[0];
  cursor.arguments_digest = fields[1];
  cursor.result_digest = fields[2];
  return cursor;
}

std::string ShortDigest(absl::string_view text) {
  return absl::BytesToHexString(rpc::HashId(text).substr(0, 16));
}

}  // namespace banyan::edge
