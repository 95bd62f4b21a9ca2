// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_PARALLEL_H_
#define LSPD_QUERIES_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace banyan::lspd {

// Runs `work(0)` to `work(count - 1)`, at most `width` at a time, and returns
// when all are done. Servers pipeline, so a handful of questions at once is
// worth it; more only makes them queue there instead of here.
void InParallel(size_t count, size_t width,
                const std::function<void(size_t)>& work);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_PARALLEL_H_
