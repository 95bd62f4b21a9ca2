// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_WORKSPACE_SYMBOL_CACHE_H_
#define LSPD_WORKSPACE_SYMBOL_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "lspd/workspace/symbol_node.h"

namespace banyan::lspd {

// The symbols that a server gave for a text, so that it is not asked twice.
// One cache for all roots, in memory only, least recently used first out.
//
// A key names all that the answer depends on, so nothing here ever becomes
// stale: what changes has another key. Put in only what a ready server said.
//
// Thread-safe.
class SymbolCache {
 public:
  struct Key {
    std::string content_hash;
    std::string server_fingerprint;  // Program, version, settings.
    std::string root_configuration;  // Digest of what the project itself sets.
    std::string trust_domain;
    std::string document_language;  // One text as .ts and as .tsx differs.
    // Of languages whose files include others (C, C++): the root and its
    // generation of headers. Empty: the text decides alone.
    std::string surroundings;

    auto operator<=>(const Key&) const = default;
  };

  struct Options {
    size_t memory_budget_bytes = size_t{256} << 20;  // Keys and trees together.
  };

  struct Statistics {
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t evictions = 0;
    size_t entries = 0;
    size_t memory_bytes = 0;
  };

  SymbolCache() : SymbolCache(Options()) {}
  explicit SymbolCache(Options options) : options_(options) {}

  SymbolCache(const SymbolCache&) = delete;
  SymbolCache& operator=(const SymbolCache&) = delete;

  // Null: not here.
  SharedSymbols Find(const Key& key);

  // A tree larger than the whole budget is not kept.
  void Put(const Key& key, SharedSymbols symbols);

  Statistics statistics() const;

 private:
  struct Entry {
    Key key;
    SharedSymbols symbols;
    size_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  void EvictSurplusLocked();

  const Options options_;
  mutable std::mutex mutex_;
  Entries by_age_;  // Most recently used first. Guarded by mutex_.
  std::map<Key, Entries::iterator> by_key_;  // Guarded by mutex_.
  Statistics statistics_;                    // Guarded by mutex_.
};

}  // namespace banyan::lspd

#endif  // LSPD_WORKSPACE_SYMBOL_CACHE_H_
