// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_REDIS_SCRIPTS_H_
#define SESSIOND_STORE_REDIS_SCRIPTS_H_

#include "sessiond/store/redis_connection.h"

namespace banyan::sessiond {

// What must happen at once in Redis. Keys, all below one prefix:
//
//   record:<kind>:<key>         hash: v version, p principal, o is over, b body,
//                               s seal, n nonce of the write that made it so
//   all:<kind>[:<principal>]    set of keys; living:… those that are not over
//   changes                     stream, one entry a change, its id is the revision
//   revision, begin, lineage    the newest; the first of this lineage; whose it is
//   ring:<key>, marks:<key>     stream of a session's events; bytes, newest ids
//   growth                      short stream: which ring has grown
//
// Keys and principals are in hex. The first key of every script is the prefix.
// The first two arguments are the connection's lineage and the time in ms: a
// new lineage may have lost changes, so revisions jump and begin anew.
namespace redis_scripts {

// verb kind key principal is_over body seal nonce expected per_principal total
// keep_ms keep_count -> {result, revision}
const RedisScript& Write();

// from ("" = no changes) -> {revision, begin, changes}
const RedisScript& History();

// key stream ends_stream first_id max_events max_bytes life_ms data…
// -> ids
const RedisScript& Append();

}  // namespace redis_scripts

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_REDIS_SCRIPTS_H_
