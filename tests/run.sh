#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/run.sh [--full]
#
# Installs what is missing, builds, and runs every test:
#   unit tests with AddressSanitizer and UBSan (preset asan),
#   those without gRPC with ThreadSanitizer too (preset tsan),
#   the corpora of the fuzzers (preset fuzz),
#   system tests with the release programs, real language servers and the
#   official MCP clients.
# --full adds the long ones: 20 cold starts, the big source trees, all languages
# in all combinations, longer fuzzing.
#
# Goes on after a failed stage; ends with a summary and 'N passed, N failed'.
# BANYAN_TEST_LIMIT (seconds, 4500 in CI) bounds the system tests.
set -uo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
cd "$repository" || exit 1
# shellcheck source=deploy/install.sh
. deploy/install.sh
BANYAN_LANGUAGES="$BANYAN_LANGUAGES php"

case ${1:-} in
  '') ;;
  --full) export BANYAN_TEST_FULL=1 ;;
  *)
    sed -n '4,18s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac

export CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
export LSAN_OPTIONS=print_suppressions=0:suppressions=$repository/tests/lsan_suppressions.txt
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=second_deadlock_stack=1:suppressions=$repository/tests/tsan_suppressions.txt
logs=$repository/build/logs
mkdir -p "$logs"

limit=${BANYAN_TEST_LIMIT:-${CI:+4500}}
limit=${limit:-1000000}
passed=0
failed=0
summary=()

# count PASSED FAILED
count() {
  passed=$((passed + $1))
  failed=$((failed + $2))
}

# stage NAME COMMAND...: times it, keeps its output in build/logs/NAME.log, and
# shows the end of that when it fails.
stage() {
  local name=$1 started=$SECONDS result=ok
  shift
  printf '== %s\n' "$name"
  if ! "$@" >"$logs/$name.log" 2>&1; then
    result=FAILED
    [[ $name = *-test ]] && sed -n '/failing tests:/q; /✖/p' "$logs/$name.log" | head -n 40
    tail -n "${BANYAN_TEST_TAIL:-60}" "$logs/$name.log"
  fi
  printf '   %s in %d s\n' "$result" $((SECONDS - started))
  summary+=("$(printf '%-14s %-7s %5d s' "$name" "$result" $((SECONDS - started)))")
  [ "$result" = ok ]
}

# Adds what ctest or node's runner counted in a log.
count_ctest() {
  local of failing
  of=$(sed -n 's/^.*tests passed, .* tests failed out of \([0-9]*\)$/\1/p' "$1" | tail -n 1)
  failing=$(sed -n 's/^.*tests passed, \([0-9]*\) tests failed out of .*$/\1/p' "$1" | tail -n 1)
  if [ -z "$of" ] || [ "$of" = 0 ]; then count 0 1; else count $((of - failing)) "$failing"; fi
}
count_node() {
  local passing failing
  passing=$(sed -n 's/^[#ℹ] pass \([0-9]*\)$/\1/p' "$1" | tail -n 1)
  failing=$(sed -n 's/^[#ℹ] fail \([0-9]*\)$/\1/p' "$1" | tail -n 1)
  if [ -z "$passing" ] || [ "$passing$failing" = 00 ]; then count 0 1; else count "$passing" "$failing"; fi
}

# unit_tests PRESET [CTEST ARGUMENT...]
unit_tests() {
  local preset=$1
  shift
  if stage "$preset-build" build_preset "$preset"; then
    stage "$preset-test" ctest --test-dir "build/$preset" --output-on-failure -j 2 --timeout 600 "$@"
    count_ctest "$logs/$preset-test.log"
  else
    count 0 1
  fi
}

build_preset() {
  case $1 in
    asan) set -- asan unit_tests ;;
    tsan) set -- tsan nogrpc_tests ;;
    fuzz) set -- fuzz fuzzers ;;
    release) set -- release banyan banyan-edge banyan-sessiond banyan-lspd banyan-guardian ;;
  esac
  cmake --preset "$1" >/dev/null && cmake --build "build/$1" --target "${@:2}"
}

# The builds of the stages to come, in what the system tests leave of the machine.
# Those stages do what is not done then, and report it.
build_ahead() {
  renice -n 19 -p "$BASHPID"
  local preset
  for preset in asan tsan fuzz; do build_preset "$preset"; done
}

fuzzers_run() {
  local seconds=${BANYAN_TEST_FULL:+300}
  tests/fuzz/run.sh --seconds="${seconds:-30}"
}

system_tests() {
  npm_install tests && npm_install tests/conformance || return
  PATH="$BANYAN_TOOLS_DIR/bin:$PATH" BANYAN_BIN="$repository/build/release/bin" \
    timeout -k 10 $((limit - SECONDS > 0 ? limit - SECONDS : 1)) \
    node --test --test-concurrency=1 --test-reporter=spec --test-timeout=3600000 \
    tests/system/*_test.mjs
}

# Which servers and clients these results speak of.
print_versions() {
  PATH="$BANYAN_TOOLS_DIR/bin:$PATH" node tests/system/versions.mjs
}

install_for build || exit 1
for group in servers test check; do
  install_for "$group" || count 0 1
done

# What people run comes first. Its tests wait more than they work.
if stage release-build build_preset release; then
  build_ahead >"$logs/build-ahead.log" 2>&1 &
  stage system-test system_tests
  count_node "$logs/system-test.log"
  wait
else
  count 0 1
fi
unit_tests asan -L unit
unit_tests tsan -L nogrpc
if stage fuzz-build build_preset fuzz && stage fuzz-run fuzzers_run; then
  count 1 0
else
  count 0 1
fi

echo
# In CI a missing one is a failure; on a person's machine it is only told.
print_versions || [ -z "${CI:-}" ] || count 0 1
echo
printf '%s\n' "${summary[@]}"
echo
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
