// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_LOCATIONS_H_
#define LSPD_QUERIES_LOCATIONS_H_

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "lspd/protocol/lsp_types.h"
#include "lspd/queries/question.h"

namespace banyan::lspd {

// A place beneath the root.
struct PlaceInRoot {
  std::string relative_path;
  std::shared_ptr<const SourceFile> file;
  TextRange range;

  friend bool operator<(const PlaceInRoot& a, const PlaceInRoot& b) {
    return std::tie(a.relative_path, a.range.start, a.range.end) <
           std::tie(b.relative_path, b.range.start, b.range.end);
  }
  friend bool operator==(const PlaceInRoot& a, const PlaceInRoot& b) {
    return a.relative_path == b.relative_path && a.range == b.range;
  }
};

// A place outside: only the path is told, nothing is read there.
struct PlaceOutside {
  std::string path;  // Absolute, or the URI where it is no file's.
  LspRange range;    // As the server said it: the text to convert is not ours.
};

struct Places {
  std::vector<PlaceInRoot> inside;  // By path and position, each once.
  std::vector<PlaceOutside> outside;
};

// Reads each file of the root that a server named and converts the ranges. A
// location in a file that is gone or may not be read is no place any more.
Places ResolveLocations(Question& question, const LanguageServer& server,
                        const std::vector<Location>& locations);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_LOCATIONS_H_
