// SPDX-License-Identifier: Apache-2.0
#ifndef SESSIOND_STORE_MEMORY_RECORD_STORE_H_
#define SESSIOND_STORE_MEMORY_RECORD_STORE_H_

#include <memory>

#include "sessiond/store/record_store.h"

namespace banyan::sessiond {

// Everything is gone with the process: for tests, and for trying things out.
// `now` stamps changes; null = the system's clock.
std::unique_ptr<RecordStore> NewMemoryRecordStore(Clock now = nullptr);

}  // namespace banyan::sessiond

#endif  // SESSIOND_STORE_MEMORY_RECORD_STORE_H_
