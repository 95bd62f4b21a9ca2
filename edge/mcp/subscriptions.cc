// SPDX-License-Identifier: Apache-2.0
#include "edge/mcp/subscriptions.h"

#include <utility>
#include <vector>

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kSubscriptionKey[] = "io.modelcontextprotocol/subscriptionId";
constexpr size_t kMaxUris = 1000;

// What a client asked to be told of.
struct Filter {
  std::set<ListKind> lists;
  std::set<std::string> uris;
};

constexpr std::pair<ListKind, const char*> kListMembers[] = {
    {ListKind::kTools, "toolsListChanged"},
    {ListKind::kPrompts, "promptsListChanged"},
    {ListKind::kResources, "resourcesListChanged"}};

const char* NoticeOf(ListKind list) {
  switch (list) {
    case ListKind::kTools:
      return "notifications/tools/list_changed";
    case ListKind::kPrompts:
      return "notifications/prompts/list_changed";
    case ListKind::kResources:
      return "notifications/resources/list_changed";
  }
  return "";
}

std::optional<Filter> ReadFilter(const json& asked,
                                 const Subscriptions::Honoured& honoured) {
  Filter filter;
  if (asked.is_null()) return filter;
  if (!asked.is_object()) return std::nullopt;
  for (const auto& [list, member] : kListMembers) {
    const json& wanted = Member(asked, member);
    if (!wanted.is_null() && !wanted.is_boolean()) return std::nullopt;
    if (honoured.lists_change && wanted == true) filter.lists.insert(list);
  }
  const json& uris = Member(asked, "resourceSubscriptions");
  if (uris.is_null()) return filter;
  if (!uris.is_array() || uris.size() > kMaxUris) return std::nullopt;
  for (const json& uri : uris) {
    if (!uri.is_string()) return std::nullopt;
    if (honoured.resources) filter.uris.insert(uri.get<std::string>());
  }
  return filter;
}

json ToJson(const Filter& filter) {
  json honoured = json::object();
  for (const auto& [list, member] : kListMembers) {
    if (filter.lists.count(list) > 0) honoured[member] = true;
  }
  if (!filter.uris.empty()) honoured["resourceSubscriptions"] = filter.uris;
  return honoured;
}

json Tagged(json params, const json& id) {
  params["_meta"][kSubscriptionKey] = id;
  return params;
}

}  // namespace

struct Subscriptions::State {
  struct Listener {
    json id;  // Of the request; names the subscription.
    Filter filter;
    std::shared_ptr<EventSink> sink;
    std::mutex sending;  // Nothing goes out before the acknowledgement.
  };

  std::mutex mutex;
  // Guarded by mutex.
  std::map<uint64_t, std::shared_ptr<Listener>> listeners;
  uint64_t opened = 0;

  template <typename Wants>
  std::vector<std::shared_ptr<Listener>> Matching(const Wants& wants) {
    std::vector<std::shared_ptr<Listener>> matching;
    const std::lock_guard lock(mutex);
    for (const auto& [key, listener] : listeners) {
      if (wants(listener->filter)) matching.push_back(listener);
    }
    return matching;
  }

  static void Send(Listener& listener, const char* method, json params) {
    const std::string text =
        NotificationText(method, Tagged(std::move(params), listener.id));
    const std::lock_guard sending(listener.sending);
    listener.sink->Send("", text);
  }
};

Subscriptions::Subscriptions(StandingStreams& standing, ServerIdentity identity)
    : identity_(std::move(identity)),
      standing_(standing),
      state_(std::make_shared<State>()) {}

Subscriptions::~Subscriptions() { EndAll(); }

std::optional<RpcError> Subscriptions::Listen(
    const RpcMessage& request, const Honoured& honoured,
    const std::shared_ptr<EventSink>& events) {
  const auto filter =
      ReadFilter(Member(request.params, "notifications"), honoured);
  if (!filter.has_value()) {
    return RpcError{.code = kInvalidParams,
                    .message =
                        "params.notifications is an object of booleans "
                        "and of resourceSubscriptions, a list of at "
                        "most 1000 URIs.",
                    .data = {}};
  }
  const auto listener = std::make_shared<State::Listener>();
  listener->id = request.id;
  listener->filter = *filter;
  listener->sink = events;
  events->OpenToStay();

  const std::lock_guard sending(listener->sending);
  uint64_t key = 0;
  {
    const std::lock_guard lock(state_->mutex);
    key = ++state_->opened;
    state_->listeners[key] = listener;
  }
  events->Send("", NotificationText("notifications/subscriptions/acknowledged",
                                    Tagged({{"notifications", ToJson(*filter)}},
                                           request.id)));
  events->OnEnd([state = state_, key] {
    const std::lock_guard lock(state->mutex);
    state->listeners.erase(key);
  });
  return std::nullopt;
}

void Subscriptions::ListChanged(ListKind list) {
  const auto wants = [list](const Filter& filter) {
    return filter.lists.count(list) > 0;
  };
  for (const auto& listener : state_->Matching(wants)) {
    State::Send(*listener, NoticeOf(list), json::object());
  }
  standing_.SendToAll(NotificationText(NoticeOf(list), json::object()));
}

void Subscriptions::ResourceUpdated(const std::string& uri) {
  constexpr char kUpdated[] = "notifications/resources/updated";
  const auto wants = [&uri](const Filter& filter) {
    return filter.uris.count(uri) > 0;
  };
  for (const auto& listener : state_->Matching(wants)) {
    State::Send(*listener, kUpdated, {{"uri", uri}});
  }
  standing_.SendToSubscribers(uri, NotificationText(kUpdated, {{"uri", uri}}));
}

std::set<std::string> Subscriptions::SubscribedUris() const {
  std::set<std::string> uris = standing_.SubscribedUris();
  const std::lock_guard lock(state_->mutex);
  for (const auto& [key, listener] : state_->listeners) {
    uris.insert(listener->filter.uris.begin(), listener->filter.uris.end());
  }
  return uris;
}

void Subscriptions::EndAll() {
  for (const auto& listener :
       state_->Matching([](const Filter&) { return true; })) {
    const json result =
        Tagged(AsModernResult(json::object(), identity_), listener->id);
    const std::lock_guard sending(listener->sending);
    listener->sink->Close(ResultText(listener->id, result));
  }
  standing_.EndAll();
}

}  // namespace banyan::edge
