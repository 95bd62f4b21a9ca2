// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "edge/mcp/conformance_fixtures.h"
#include "edge/tools/result_format.h"

namespace banyan::edge {
namespace {

using nlohmann::json;

constexpr char kTemplate[] = "test://template/{id}/data";
constexpr char kTemplateStart[] = "test://template/";
constexpr char kTemplateEnd[] = "/data";
constexpr char kText[] = "test://static-text";
constexpr char kBinary[] = "test://static-binary";
constexpr char kWatched[] = "test://watched-resource";

class ConformanceResources final : public ResourceSource {
 public:
  bool Owns(const std::string& uri) const override {
    return uri == kText || uri == kBinary || uri == kWatched ||
           !IdOf(uri).empty();
  }

  absl::StatusOr<json> List(const ToolCall&) const override {
    return json::array({Entry(kText, "Static text", "text/plain"),
                        Entry(kBinary, "Static picture", "image/png"),
                        Entry(kWatched, "Watched text", "text/plain")});
  }

  json Templates() const override {
    return json::array({{{"uriTemplate", kTemplate},
                         {"name", "Data by id"},
                         {"description", "Shows the id of its address."},
                         {"mimeType", "application/json"}}});
  }

  absl::StatusOr<json> Read(const std::string& uri,
                            const ToolCall&) const override {
    json content = {{"uri", uri}, {"mimeType", "text/plain"}};
    const std::string id = IdOf(uri);
    if (!id.empty()) {
      content["mimeType"] = "application/json";
      content["text"] = Compact({{"id", id}, {"data", "Data for " + id}});
    } else if (uri == kBinary) {
      content["mimeType"] = "image/png";
      content["blob"] = std::string(kFixturePng);
    } else {
      content["text"] = "This text never changes.";
    }
    return json::array({std::move(content)});
  }

  absl::StatusOr<std::vector<std::string>> Complete(
      const std::string&, const std::string&, const std::string& value,
      const json&, const ToolCall&) const override {
    return std::vector<std::string>{value + "1", value + "2"};
  }

 private:
  static json Entry(const char* uri, const char* name, const char* type) {
    return {{"uri", uri},
            {"name", name},
            {"description", name},
            {"mimeType", type}};
  }

  // Of an address that fits the template; else empty.
  static std::string IdOf(absl::string_view uri) {
    if (!absl::ConsumePrefix(&uri, kTemplateStart) ||
        !absl::ConsumeSuffix(&uri, kTemplateEnd) ||
        absl::StrContains(uri, '/')) {
      return "";
    }
    return std::string(uri);
  }
};

}  // namespace

std::unique_ptr<ResourceSource> NewConformanceResources() {
  return std::make_unique<ConformanceResources>();
}

}  // namespace banyan::edge
