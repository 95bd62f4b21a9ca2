// SPDX-License-Identifier: Apache-2.0
#include "lspd/queries/completeness.h"

namespace banyan::lspd {

void Completeness::Add(absl::string_view language,
                       lsp::v1::IncompleteReason reason, int64_t count) {
  counts_[Key(std::string(language), reason)] += count;
}

void Completeness::Merge(const Completeness& other) {
  for (const auto& [key, count] : other.counts_) counts_[key] += count;
}

bool Completeness::Has(lsp::v1::IncompleteReason reason) const {
  for (const auto& [key, count] : counts_) {
    if (key.second == reason) return true;
  }
  return false;
}

bool Completeness::is_cut_short() const {
  return Has(lsp::v1::INCOMPLETE_REASON_INDEXING) ||
         Has(lsp::v1::INCOMPLETE_REASON_DEADLINE);
}

void Completeness::ToProto(
    google::protobuf::RepeatedPtrField<lsp::v1::Incompleteness>* out) const {
  for (const auto& [key, count] : counts_) {
    lsp::v1::Incompleteness* entry = out->Add();
    entry->set_language(key.first);
    entry->set_reason(key.second);
    entry->set_count(count);
  }
}

}  // namespace banyan::lspd
