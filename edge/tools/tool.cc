// SPDX-License-Identifier: Apache-2.0
#include "edge/tools/tool.h"

#include <algorithm>

namespace banyan::edge {

Paging PagesOf(const std::string& member) {
  return {
      .count =
          [member](const nlohmann::json& content) {
            return content.at(member).size();
          },
      .slice =
          [member](const nlohmann::json& content, size_t first, size_t count) {
            nlohmann::json page = nlohmann::json::object();
            for (const auto& [key, value] : content.items()) {
              if (key != member) page[key] = value;
            }
            const nlohmann::json& items = content.at(member);
            nlohmann::json& kept = page[member] = nlohmann::json::array();
            const size_t end = std::min(items.size(), first + count);
            for (size_t i = first; i < end; ++i) kept.push_back(items[i]);
            return page;
          }};
}

}  // namespace banyan::edge
