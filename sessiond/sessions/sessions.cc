// SPDX-License-Identifier: Apache-2.0
#include "sessiond/sessions/sessions.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc/error_reason.h"
#include "proto/rpc/status_macros.h"
#include "sessiond/store/record_id.h"

namespace banyan::sessiond {
namespace {

using session::v1::Principal;
using session::v1::SessionRecord;

constexpr int kGenerateAttempts = 2;

absl::Status Gone() {
  return rpc::Error(rpc::v1::ERROR_REASON_SESSION_GONE,
                    "this session is gone; initialize a new one");
}

absl::Status CheckId(absl::string_view id) {
  if (IsSessionId(id)) return absl::OkStatus();
  return rpc::Error(rpc::v1::ERROR_REASON_ID_MALFORMED,
                    "this is no session id of this server; initialize a "
                    "session and use the id it answers");
}

absl::Status Full(WriteResult result) {
  return rpc::Error(
      rpc::v1::ERROR_REASON_SESSION_LIMIT,
      result == WriteResult::kPrincipalFull
          ? "you hold as many sessions as one user may; end one and try again"
          : "this server holds as many sessions as it can; try again later");
}

}  // namespace

absl::StatusOr<std::string> Sessions::Generate(const Principal& principal) {
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  absl::Status failure;
  for (int attempt = 0; attempt < kGenerateAttempts; ++attempt) {
    std::string id = NewSessionId();
    SessionRecord record;
    record.set_state(session::v1::SESSION_STATE_PLACEHOLDER);
    const absl::StatusOr<WriteResult> result =
        owned_.Create(principal, RecordKey(id), &record);
    if (!result.ok()) {
      failure = result.status();
    } else if (*result == WriteResult::kDone) {
      return id;
    } else if (*result != WriteResult::kExists) {
      return Full(*result);
    }
  }
  if (!failure.ok()) return failure;
  return rpc::Error(rpc::v1::ERROR_REASON_INTERNAL,
                    "no free session id was found");
}

absl::StatusOr<Sessions::Live> Sessions::Create(const Principal& principal,
                                                absl::string_view id,
                                                Change fill) {
  RETURN_IF_ERROR(CheckId(id));
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  const std::string key = RecordKey(id);
  ASSIGN_OR_RETURN(std::optional<SessionRecord> draft,
                   owned_.records().Load(key));
  if (!draft.has_value()) return Gone();
  if (draft->state() == session::v1::SESSION_STATE_LIVE) {
    return Find(principal, id, /*is_use=*/true);
  }
  if (draft->state() != session::v1::SESSION_STATE_PLACEHOLDER ||
      !owned_.hasher().IsOwner(principal, draft->principal_hash(),
                               draft->principal_key_id())) {
    return Gone();
  }
  if (const absl::Status status = fill(*draft); !status.ok()) {
    // Best effort: a placeholder that stays is swept soon.
    (void)MarkOver(key);
    return status;
  }
  draft->set_state(session::v1::SESSION_STATE_LIVE);
  const int64_t version = draft->version();
  ASSIGN_OR_RETURN(std::optional<SessionRecord> created,
                   owned_.records().Change(key, [&](SessionRecord& record) {
                     // Whoever wrote in between ended it: nobody else changes placeholders.
                     if (record.version() != version) return Gone();
                     record = *draft;
                     return absl::OkStatus();
                   }));
  if (!created.has_value()) return Gone();
  owned_.Tell(*created, SessionEvent::kCreated);
  return owned_.ToLive(key, *std::move(created));
}

absl::StatusOr<Sessions::Live> Sessions::Get(const Principal& principal,
                                             absl::string_view id) {
  return Find(principal, id, /*is_use=*/false);
}

absl::StatusOr<Sessions::Live> Sessions::Use(const Principal& principal,
                                             absl::string_view id) {
  return Find(principal, id, /*is_use=*/true);
}

absl::StatusOr<std::optional<Sessions::Live>> Sessions::Validate(
    const Principal& principal, absl::string_view id) {
  RETURN_IF_ERROR(CheckId(id));
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  return owned_.Find(principal, RecordKey(id), /*is_use=*/true);
}

absl::StatusOr<Sessions::Live> Sessions::Find(const Principal& principal,
                                              absl::string_view id,
                                              bool is_use) {
  RETURN_IF_ERROR(CheckId(id));
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  ASSIGN_OR_RETURN(std::optional<Live> live,
                   owned_.Find(principal, RecordKey(id), is_use));
  if (!live.has_value()) return Gone();
  return *std::move(live);
}

absl::StatusOr<Sessions::Live> Sessions::Update(const Principal& principal,
                                                absl::string_view id,
                                                int64_t expected_version,
                                                Change change) {
  ASSIGN_OR_RETURN(const Live live, Use(principal, id));
  ASSIGN_OR_RETURN(
      std::optional<SessionRecord> changed,
      owned_.records().Change(
          live.key, [&](SessionRecord& record) -> absl::Status {
            if (record.state() != session::v1::SESSION_STATE_LIVE) {
              return Gone();
            }
            if (expected_version != 0 && record.version() != expected_version) {
              return rpc::Error(rpc::v1::ERROR_REASON_VERSION_CONFLICT,
                                "the session has changed; read it again and "
                                "repeat the change");
            }
            return change(record);
          }));
  if (!changed.has_value()) return Gone();
  return owned_.ToLive(live.key, *std::move(changed));
}

absl::StatusOr<bool> Sessions::Terminate(const Principal& principal,
                                         absl::string_view id) {
  RETURN_IF_ERROR(CheckId(id));
  RETURN_IF_ERROR(PrincipalHasher::Check(principal));
  const std::string key = RecordKey(id);
  ASSIGN_OR_RETURN(const std::optional<SessionRecord> record,
                   owned_.records().Load(key));
  if (!record.has_value() ||
      record->state() == session::v1::SESSION_STATE_TERMINATED) {
    return false;
  }
  // A record without an owner (an older format) is as good as a placeholder.
  const bool is_owned = !record->principal_hash().empty();
  if (is_owned && !owned_.hasher().IsOwner(principal, record->principal_hash(),
                                           record->principal_key_id())) {
    owned_.Tell(*record, SessionEvent::kHijackRefused);
    return false;
  }
  if (is_owned && record->state() == session::v1::SESSION_STATE_LIVE) {
    return owned_.Remove(key, *record, /*version=*/0,
                         SessionEvent::kTerminated);
  }
  const absl::Status marked = MarkOver(key);
  if (marked.ok()) return true;
  const absl::Status deleted =
      owned_.records().Delete(key, /*version=*/0).status();
  if (deleted.ok()) return true;
  return rpc::Error(
      rpc::ReasonOf(deleted),
      absl::StrCat("the session could not be ended; marking it: ",
                   marked.message(), "; deleting it: ", deleted.message()));
}

absl::StatusOr<bool> Sessions::TerminatePublic(absl::string_view public_id) {
  ASSIGN_OR_RETURN(const std::vector<Live> sessions, List(std::nullopt));
  for (const Live& live : sessions) {
    if (live.record.public_id() != public_id) continue;
    return owned_.Remove(live.key, live.record, /*version=*/0,
                         SessionEvent::kTerminated);
  }
  return false;
}

// Marked, not deleted: a Create in flight must find it over. Since when it is
// over stands in last_seen.
//
// A Create may have won meanwhile: then the live session is ended all the same.
absl::Status Sessions::MarkOver(absl::string_view key) {
  const int64_t now_ms = absl::ToUnixMillis(owned_.Now());
  return owned_.records()
      .Change(key,
              [now_ms](SessionRecord& record) {
                record.set_state(session::v1::SESSION_STATE_TERMINATED);
                record.set_last_seen_unix_ms(now_ms);
                return absl::OkStatus();
              })
      .status();
}

}  // namespace banyan::sessiond
