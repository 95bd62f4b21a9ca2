// SPDX-License-Identifier: Apache-2.0
#include "lspd/workspace/symbol_cache.h"

#include <string>
#include <utility>
#include <vector>

namespace banyan::lspd {
namespace {

size_t MemoryOf(const std::vector<SymbolNode>& nodes) {
  size_t bytes = nodes.capacity() * sizeof(SymbolNode);
  for (const SymbolNode& node : nodes) {
    bytes += node.name.size() + node.container_name.size() + node.kind.size() +
             node.detail.size() + MemoryOf(node.children);
    for (const std::string& owner : node.owner) {
      bytes += sizeof(owner) + owner.size();
    }
  }
  return bytes;
}

size_t MemoryOf(const SymbolCache::Key& key) {
  return 2 * sizeof(key) +
         2 * (key.content_hash.size() + key.server_fingerprint.size() +
              key.root_configuration.size() + key.trust_domain.size() +
              key.document_language.size() + key.surroundings.size());
}

}  // namespace

size_t MemoryOf(const FileSymbols& symbols) {
  return sizeof(symbols) + MemoryOf(symbols.roots);
}

SharedSymbols SymbolCache::Find(const Key& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    ++statistics_.misses;
    return nullptr;
  }
  ++statistics_.hits;
  by_age_.splice(by_age_.begin(), by_age_, found->second);
  return found->second->symbols;
}

void SymbolCache::Put(const Key& key, SharedSymbols symbols) {
  const size_t bytes = MemoryOf(key) + MemoryOf(*symbols);
  if (bytes > options_.memory_budget_bytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    statistics_.memory_bytes -= found->second->bytes;
    by_age_.erase(found->second);
    by_key_.erase(found);
  }
  by_age_.push_front(
      {.key = key, .symbols = std::move(symbols), .bytes = bytes});
  by_key_.emplace(key, by_age_.begin());
  statistics_.memory_bytes += bytes;
  EvictSurplusLocked();
}

void SymbolCache::EvictSurplusLocked() {
  while (statistics_.memory_bytes > options_.memory_budget_bytes) {
    const Entry& oldest = by_age_.back();
    statistics_.memory_bytes -= oldest.bytes;
    ++statistics_.evictions;
    by_key_.erase(oldest.key);
    by_age_.pop_back();
  }
}

SymbolCache::Statistics SymbolCache::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Statistics statistics = statistics_;
  statistics.entries = by_key_.size();
  return statistics;
}

}  // namespace banyan::lspd
