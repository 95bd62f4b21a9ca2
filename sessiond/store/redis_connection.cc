// SPDX-License-Identifier: Apache-2.0
#include "sessiond/store/redis_connection.h"

#include <hiredis/hiredis.h>
#include <openssl/sha.h>
#include <sys/time.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/rpc/status_macros.h"

namespace banyan::sessiond {
namespace {

struct ReplyFreer {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

RedisReply FromRedis(const redisReply& reply) {
  RedisReply ours;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      ours.type = RedisReply::Type::kText;
      ours.text = std::string(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      ours.type = RedisReply::Type::kInteger;
      ours.integer = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      ours.type = RedisReply::Type::kList;
      for (size_t i = 0; i < reply.elements; ++i) {
        ours.elements.push_back(FromRedis(*reply.element[i]));
      }
      break;
    default:
      break;
  }
  return ours;
}

// Redis names the kind of an error by its first word.
absl::Status FromRedisError(absl::string_view message) {
  const absl::string_view kind = message.substr(0, message.find(' '));
  if (kind == "OOM") return absl::ResourceExhaustedError(message);
  if (kind == "WRONGPASS" || kind == "NOAUTH" || kind == "NOPERM") {
    return absl::FailedPreconditionError(message);
  }
  for (const absl::string_view passing :
       {"READONLY", "LOADING", "MASTERDOWN", "BUSY", "MISCONF", "NOREPLICAS",
        "UNBLOCKED"}) {
    if (kind == passing) return absl::UnavailableError(message);
  }
  return absl::InternalError(message);
}

bool IsNoScript(const absl::Status& status) {
  return status.code() == absl::StatusCode::kInternal &&
         absl::StartsWith(status.message(), "NOSCRIPT");
}

// A field of INFO's lines "name:value".
std::string InfoField(absl::string_view info, absl::string_view name) {
  for (absl::string_view line : absl::StrSplit(info, "\r\n")) {
    const size_t colon = line.find(':');
    if (colon != absl::string_view::npos && line.substr(0, colon) == name) {
      return std::string(line.substr(colon + 1));
    }
  }
  return "";
}

}  // namespace

RedisScript::RedisScript(std::string lua_text) : lua(std::move(lua_text)) {
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(lua.data()), lua.size(), digest);
  sha1 = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

void RedisConnection::Closer::operator()(redisContext* context) const {
  redisFree(context);
}

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnection::Open(
    const RedisOptions& options) {
  RedisServer server = options.address.servers.front();
  if (!options.address.master.empty()) {
    ASSIGN_OR_RETURN(server, AskSentinels(options));
  }
  ASSIGN_OR_RETURN(auto connection, Connect(server, options));
  RETURN_IF_ERROR(connection->Prepare(options));
  return connection;
}

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnection::Connect(
    const RedisServer& server, const RedisOptions& options) {
  redisContext* const context =
      redisConnectWithTimeout(server.host.c_str(), server.port,
                              absl::ToTimeval(options.connect_timeout));
  if (context == nullptr) return absl::UnavailableError("out of memory");
  std::unique_ptr<RedisConnection> connection(new RedisConnection(context));
  if (context->err != 0) {
    return absl::UnavailableError(
        absl::StrCat(server.host, ":", server.port, ": ", context->errstr));
  }
  redisSetTimeout(context, absl::ToTimeval(options.call_timeout));
  redisEnableKeepAlive(context);
  return connection;
}

absl::StatusOr<RedisServer> RedisConnection::AskSentinels(
    const RedisOptions& options) {
  absl::Status failure = absl::UnavailableError("no Sentinel was named");
  for (const RedisServer& sentinel : options.address.servers) {
    const auto connection = Connect(sentinel, options);
    if (!connection.ok()) {
      failure = connection.status();
      continue;
    }
    const auto answer = (*connection)
                            ->Call({"SENTINEL", "get-master-addr-by-name",
                                    options.address.master});
    RedisServer master;
    if (answer.ok() && answer->elements.size() == 2 &&
        absl::SimpleAtoi(answer->elements[1].text, &master.port)) {
      master.host = answer->elements[0].text;
      return master;
    }
    failure =
        answer.ok()
            ? absl::UnavailableError(absl::StrCat(
                  "no Sentinel knows a master named ", options.address.master))
            : answer.status();
  }
  return failure;
}

absl::Status RedisConnection::Prepare(const RedisOptions& options) {
  if (!options.password.empty()) {
    Words auth = {"AUTH"};
    if (!options.user.empty()) auth.push_back(options.user);
    auth.push_back(options.password);
    RETURN_IF_ERROR(Call(auth).status());
  }
  if (options.address.database != 0) {
    RETURN_IF_ERROR(
        Call({"SELECT", absl::StrCat(options.address.database)}).status());
  }
  ASSIGN_OR_RETURN(const RedisReply replication, Call({"INFO", "replication"}));
  if (InfoField(replication.text, "role") != "master") {
    return absl::UnavailableError("this Redis is a replica");
  }
  ASSIGN_OR_RETURN(const RedisReply server, Call({"INFO", "server"}));
  lineage_ = InfoField(server.text, "run_id");
  return absl::OkStatus();
}

absl::StatusOr<RedisReply> RedisConnection::Call(const Words& words) {
  ASSIGN_OR_RETURN(std::vector<RedisReply> replies, CallAll({words}));
  return std::move(replies.front());
}

absl::StatusOr<std::vector<RedisReply>> RedisConnection::CallAll(
    const std::vector<Words>& calls) {
  for (const Words& words : calls) {
    std::vector<const char*> data;
    std::vector<size_t> sizes;
    for (const std::string& word : words) {
      data.push_back(word.data());
      sizes.push_back(word.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()),
                               data.data(), sizes.data()) != REDIS_OK) {
      return Broken();
    }
  }
  std::vector<RedisReply> replies;
  absl::Status refusal;
  // Every answer is read, so that none is taken for that of a later call.
  for (size_t i = 0; i < calls.size(); ++i) {
    absl::StatusOr<RedisReply> reply = Await();
    if (context_->err != 0) return Broken();
    if (!reply.ok()) {
      refusal.Update(reply.status());
    } else {
      replies.push_back(*std::move(reply));
    }
  }
  RETURN_IF_ERROR(refusal);
  return replies;
}

absl::StatusOr<RedisReply> RedisConnection::Run(const RedisScript& script,
                                                const Words& keys,
                                                const Words& arguments) {
  Words words = {"EVALSHA", script.sha1, absl::StrCat(keys.size())};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  absl::StatusOr<RedisReply> reply = Call(words);
  if (reply.ok() || !IsNoScript(reply.status())) return reply;
  words[0] = "EVAL";
  words[1] = script.lua;
  return Call(words);
}

absl::StatusOr<RedisReply> RedisConnection::Await() {
  void* raw = nullptr;
  if (redisGetReply(context_.get(), &raw) != REDIS_OK || raw == nullptr) {
    return Broken();
  }
  const std::unique_ptr<redisReply, ReplyFreer> reply(
      static_cast<redisReply*>(raw));
  if (reply->type == REDIS_REPLY_ERROR) {
    return FromRedisError(absl::string_view(reply->str, reply->len));
  }
  return FromRedis(*reply);
}

absl::Status RedisConnection::Broken() const {
  return absl::UnavailableError(
      absl::StrCat("the connection broke: ", context_->errstr));
}

}  // namespace banyan::sessiond
