// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_COMPLETENESS_H_
#define LSPD_QUERIES_COMPLETENESS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "banyan/lsp/v1/completeness.pb.h"
#include "google/protobuf/repeated_ptr_field.h"

namespace banyan::lspd {

// Collects why an answer may lack something: each reason once per language,
// counts added up. Nothing collected means that the answer is complete, so
// whoever is in doubt adds.
//
// Not thread-safe.
class Completeness {
 public:
  // `count` says how much was left out, 0 where that cannot be counted.
  void Add(absl::string_view language, lsp::v1::IncompleteReason reason,
           int64_t count = 0);
  void Merge(const Completeness& other);

  bool is_complete() const { return counts_.empty(); }
  bool Has(lsp::v1::IncompleteReason reason) const;

  // A server was not ready in time, or the time was over: with more of it the
  // answer could be another.
  bool is_cut_short() const;

  // By language, then by reason.
  void ToProto(
      google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness>* out) const;

 private:
  using Key = std::pair<std::string, lsp::v1::IncompleteReason>;

  std::map<Key, int64_t> counts_;
};

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_COMPLETENESS_H_
