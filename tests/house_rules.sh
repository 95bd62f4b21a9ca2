#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Our own rules, as searches. Each prints the lines that break it and why it
# stands. Exits 1 when one is broken. docs/architecture.md has the map.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

broken=0

# sources PATTERN...: our files below the source folders.
sources() {
  git ls-files --cached --others --exclude-standard -- "$@"
}

# rule WHY MATCHES: nothing may be in MATCHES.
rule() {
  [ -z "$2" ] && return
  broken=$((broken + 1))
  printf '%s\n  because: %s\n\n' "$2" "$1"
}

# find_in EXPRESSION FILES...: matching lines, comments left out.
find_in() {
  local expression=$1
  shift
  [ $# = 0 ] && return
  grep -nHE -- "$expression" "$@" | grep -vE '^[^:]+:[0-9]+: *//'
}

mapfile -t all < <(sources 'proto/*.h' 'proto/*.cc' 'edge/*.h' 'edge/*.cc' \
  'sessiond/*.h' 'sessiond/*.cc' 'lspd/*.h' 'lspd/*.cc' 'deploy/*.h' \
  'deploy/*.cc' 'tests/*.h' 'tests/*.cc' | grep -v '^tests/system/fixtures/')
select_files() { printf '%s\n' "${all[@]}" | grep -E -- "$1"; }
reject_files() { printf '%s\n' "${all[@]}" | grep -vE -- "$1"; }
in_files() {  # in_files EXPRESSION <FILES
  local files
  mapfile -t files
  find_in "$1" "${files[@]}"
}

rule 'httplib has holes that only edge/http/ knows how to close (platform notes in its headers)' \
  "$(reject_files '^(edge/http/|tests/edge/http/|tests/edge/[^/]*$)' | in_files '#include [<"]httplib')"

rule 'gRPC is met at the top of a service, in its stubs and in the programs; the folders below stay testable without it' \
  "$(reject_files '^(proto/rpc/|edge/clients/|tests/)|_service(_[a-z]+)?\.(h|cc)$|/(main|registration[a-z_]*)\.(h|cc)$|^(edge|lspd|sessiond)/[^/]*$|^deploy/standalone/' |
    in_files '#include [<"](grpcpp/|.*\.grpc\.pb\.h)')"

for service in edge sessiond lspd; do
  others=$(printf '%s\n' edge sessiond lspd | grep -v "^$service$" | paste -sd'|')
  rule "no service includes another: they meet in proto/ only (deploy/standalone joins them)" \
    "$(select_files "^$service/" | in_files "#include \"($others)/")"
done
rule 'proto/ is the contract and knows none of its users' \
  "$(select_files '^proto/' | in_files '#include "(edge|sessiond|lspd)/')"

rule 'edge/auth is used by edge/http and the programs only: below it a caller is a principal' \
  "$(select_files '^edge/(mcp|tools|clients)/' | in_files '#include "edge/auth/')"
rule 'edge/http -> edge/mcp -> edge/tools -> edge/clients -> proto: no arrow back' \
  "$(select_files '^edge/clients/' | in_files '#include "edge/(tools|mcp|http)/'
    select_files '^edge/tools/' | in_files '#include "edge/(mcp|http)/'
    select_files '^edge/mcp/' | in_files '#include "edge/http/')"
rule 'lspd: services -> queries -> pool, workspace -> server -> transport, protocol: no arrow back' \
  "$(select_files '^lspd/(transport|protocol)/' | in_files '#include "lspd/(server|pool|queries|workspace)/'
    select_files '^lspd/server/' | in_files '#include "lspd/(pool|queries)/'
    select_files '^lspd/(pool|workspace)/' | in_files '#include "lspd/queries/')"
rule 'sessiond: the store is at the bottom and knows none of its users' \
  "$(select_files '^sessiond/store/' | in_files '#include "sessiond/(sessions|bindings|leases|projects|watch)/')"

rule 'nlohmann/json.hpp costs 1.6 s a file: in a header elsewhere take json_fwd.hpp' \
  "$(select_files '\.h$' | grep -vE '^(edge/(mcp|tools)|lspd/(transport|protocol)|tests)/' |
    in_files '#include [<"]nlohmann/json\.hpp')"

rule "Debian's Abseil has a string_view of its own, with no conversion: absl::string_view everywhere" \
  "$(reject_files '^$' | in_files '\bstd::string_view\b')"
rule 'std::optional is the one optional' \
  "$(reject_files '^$' | in_files '\babsl::optional\b')"
rule 'absl::Mutex is invisible to ThreadSanitizer here: std::mutex' \
  "$(reject_files '^$' | in_files '\babsl::(Mutex|CondVar|Notification|BlockingCounter)\b')"
rule 'the macros of status_macros.h have short names: not in headers' \
  "$(select_files '\.h$' | in_files '#include "proto/rpc/status_macros\.h"')"
rule 'flags are read in main.cc and handed on as options' \
  "$(reject_files '/main\.cc$|^proto/rpc/daemon\.cc$' | in_files '\bABSL_(DECLARE_)?FLAG\(')"
rule 'std::regex can be made to take for ever by its input: RE2' \
  "$(reject_files '^$' | in_files '#include <regex>')"
rule 'includes are full paths from the root: a reader finds the file at once' \
  "$(reject_files '^$' | in_files '#include "([^/"]*"|\.)' | grep -v 'sqlite3\.h"')"
rule 'a sleep in a test is a guess: wait for the event' \
  "$(select_files '^tests/.*_test\.cc$' | in_files 'sleep_(for|until)|absl::SleepFor|\busleep\(')"
rule 'each report of docs/field_reports.md has a test that names it' \
  "$(sed -n 's/^| \([0-9]*\) |.*/\1/p' docs/field_reports.md | while read -r number; do
    sources 'tests/*_test.cc' 'tests/*_test.mjs' | xargs grep -qE "ield reports? ([0-9]+, )*$number\b" ||
      printf 'docs/field_reports.md: %s\n' "$number"
  done)"
rule 'every source begins with its licence' \
  "$([ ${#all[@]} = 0 ] || grep -L '^// SPDX-License-Identifier: Apache-2.0$' "${all[@]}")"

# Only told, since some sources are tested through another.
untested=$(for file in "${all[@]}"; do
  case $file in
    tests/* | *.h | */main.cc) ;;
    *) [ -e "tests/${file%.cc}_test.cc" ] || printf '%s ' "$file" ;;
  esac
done)
[ -n "$untested" ] && printf 'Sources without a test at the mirrored path (told, not a failure):\n%s\n' \
  "$(printf '%s' "$untested" | fold -s -w 100)"

[ "$broken" = 0 ] || printf '%s house rules are broken\n' "$broken"
[ "$broken" = 0 ]
