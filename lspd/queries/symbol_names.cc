// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/symbol_names.h"

#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "lspd/server/quirks.h"

namespace banyan::lspd {
namespace {

constexpr std::pair<absl::string_view, NameStyle> kServers[] = {
    {"gopls", NameStyle::kReceiver},
    {"jdtls", NameStyle::kParameterList},
    {"roslyn", NameStyle::kParameterList},
    {"lua", NameStyle::kDotted},
    {"clangd", NameStyle::kScoped},
    {"ccls", NameStyle::kScoped},
    {"rust-analyzer", NameStyle::kImplementation},
};

bool IsWordByte(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// "List[K, V]" and "Point<T>" are known by the part before the brackets.
absl::string_view WithoutTypeArguments(absl::string_view type) {
  const size_t open = type.find_first_of("<[");
  return absl::StripAsciiWhitespace(open == 0 ? type : type.substr(0, open));
}

// "(*Server[T]).Start", "Server.Start"
ParsedName Receiver(absl::string_view text) {
  absl::string_view rest = text;
  std::string owner;
  if (absl::ConsumePrefix(&rest, "(")) {
    const size_t close = rest.find(").");
    if (close == absl::string_view::npos) return {std::string(text), {}, ""};
    absl::string_view type = rest.substr(0, close);
    absl::ConsumePrefix(&type, "*");
    owner = std::string(WithoutTypeArguments(type));
    rest.remove_prefix(close + 2);
  } else {
    const size_t dot = text.rfind('.');
    if (dot == absl::string_view::npos || dot == 0 || dot + 1 == text.size()) {
      return {std::string(text), {}, ""};
    }
    owner = std::string(WithoutTypeArguments(text.substr(0, dot)));
    rest = text.substr(dot + 1);
  }
  if (rest.empty() || owner.empty()) return {std::string(text), {}, ""};
  return {std::string(rest), {owner}, ""};
}

ParsedName ParameterList(absl::string_view text) {
  const size_t open = text.find('(');
  if (open == 0 || open == absl::string_view::npos) {
    return {std::string(text), {}, ""};
  }
  return {
      std::string(absl::StripAsciiWhitespace(text.substr(0, open))), {}, ""};
}

ParsedName Dotted(absl::string_view text) {
  ParsedName plain;
  size_t separator = text.find_first_of(".:");
  while (separator != absl::string_view::npos) {
    if (separator == 0 || separator + 1 == text.size()) {
      return {std::string(text), std::move(plain.owner), ""};
    }
    plain.owner.emplace_back(text.substr(0, separator));
    text.remove_prefix(separator + 1);
    separator = text.find_first_of(".:");
  }
  plain.name = std::string(text);
  return plain;
}

// Splits at "::" outside brackets. An operator's own name may hold anything.
ParsedName Scoped(absl::string_view text) {
  ParsedName plain;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const absl::string_view rest = text.substr(i);
    const bool is_word_start = i == start || !IsWordByte(text[i - 1]);
    if (depth == 0 && is_word_start && absl::StartsWith(rest, "operator") &&
        (rest.size() == 8 || !IsWordByte(rest[8]))) {
      break;
    }
    if (text[i] == '<' || text[i] == '(') ++depth;
    if ((text[i] == '>' || text[i] == ')') && depth > 0) --depth;
    if (depth == 0 && absl::StartsWith(rest, "::") && i > start &&
        rest.size() > 2) {
      const absl::string_view scope = text.substr(start, i - start);
      plain.owner.emplace_back(
          scope.front() == '(' ? scope : WithoutTypeArguments(scope));
      start = i + 2;
      ++i;
    }
  }
  plain.name = std::string(text.substr(start));
  return plain;
}

// "impl<T> Display for Point<T>" holds the methods of Point.
ParsedName Implementation(absl::string_view text) {
  ParsedName plain{std::string(text), {}, ""};
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "impl") || rest.empty() ||
      IsWordByte(rest.front())) {
    return plain;
  }
  if (rest.front() == '<') {
    size_t i = 0;
    int depth = 0;
    do {
      if (rest[i] == '<') ++depth;
      if (rest[i] == '>' && (i == 0 || rest[i - 1] != '-')) --depth;
      ++i;
    } while (depth > 0 && i < rest.size());
    rest.remove_prefix(i);
  }
  const size_t target = rest.find(" for ");
  if (target != absl::string_view::npos) rest.remove_prefix(target + 5);
  rest = absl::StripAsciiWhitespace(rest);
  while (absl::ConsumePrefix(&rest, "&") ||
         absl::ConsumePrefix(&rest, "mut ")) {
  }
  rest = WithoutTypeArguments(rest.substr(0, rest.find(" where ")));
  const size_t scope = rest.rfind("::");
  if (scope != absl::string_view::npos) rest.remove_prefix(scope + 2);
  plain.container_name = std::string(rest);
  return plain;
}

}  // namespace

NameStyle NameStyleOf(const ServerEntry& entry) {
  if (HasQuirk(entry, kQuirkReceiverInName)) return NameStyle::kReceiver;
  if (HasQuirk(entry, kQuirkParametersInName)) return NameStyle::kParameterList;
  for (const auto& [id, style] : kServers) {
    if (entry.id() == id) return style;
  }
  return NameStyle::kPlain;
}

ParsedName Normalize(absl::string_view server_name, NameStyle style) {
  switch (style) {
    case NameStyle::kReceiver:
      return Receiver(server_name);
    case NameStyle::kParameterList:
      return ParameterList(server_name);
    case NameStyle::kDotted:
      return Dotted(server_name);
    case NameStyle::kScoped:
      return Scoped(server_name);
    case NameStyle::kImplementation:
      return Implementation(server_name);
    case NameStyle::kPlain:
      break;
  }
  return {std::string(server_name), {}, ""};
}

}  // namespace banyan::lspd
