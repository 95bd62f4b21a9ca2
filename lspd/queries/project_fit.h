// SPDX-License-Identifier: Apache-2.0
#ifndef LSPD_QUERIES_PROJECT_FIT_H_
#define LSPD_QUERIES_PROJECT_FIT_H_

#include <string>

#include "lspd/queries/question.h"

namespace banyan::lspd {

// Adds what can be seen on disk without asking a server and limits what any
// server can say about a file:
//
//   not_in_project        Go without a go.mod, Rust without a Cargo.toml above
//                         it, TypeScript that its tsconfig.json leaves out
//   dependencies_missing  package.json names dependencies, node_modules is not
//                         there
//
// Says nothing where it cannot be sure.
void AddProjectFit(Question& question, const std::string& language,
                   const std::string& relative_path);

}  // namespace banyan::lspd

#endif  // LSPD_QUERIES_PROJECT_FIT_H_
