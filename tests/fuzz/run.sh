#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/run.sh [--seconds=N | --runs=N] [--jobs=N] [FUZZER...]
#
# Runs the fuzzers of build/fuzz (all of them, or those named), 30 s each, as
# many at a time as there are processors but two at most. --runs: each until it
# has made N executions, however long that takes. Keeps every log in
# build/logs/fuzz/ and new inputs in build/fuzz/corpus/; ends with a count of
# executions for each, and with 1 when one found something.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
limit=-max_total_time=30
jobs=$(($(nproc) > 1 ? 2 : 1))
names=()
for argument in "$@"; do
  case $argument in
    --seconds=*) limit=-max_total_time=${argument#*=} ;;
    --runs=*) limit=-runs=${argument#*=} ;;
    --jobs=*) jobs=${argument#*=} ;;
    -*)
      sed -n '4,11s/^# \{0,1\}//p' "$0"
      exit 2
      ;;
    *) names+=("$argument") ;;
  esac
done
if [ ${#names[@]} = 0 ]; then
  for program in build/fuzz/bin/*_fuzz; do
    [ -x "$program" ] && names+=("$(basename "$program" _fuzz)")
  done
fi
logs=build/logs/fuzz
mkdir -p "$logs"

run_one() {
  local name=$1 folders=("build/fuzz/corpus/$1")
  # The first folder takes new inputs, the second is ours and stays as it is.
  mkdir -p "${folders[0]}" build/fuzz/found
  [ -d "tests/fuzz/corpus/$name" ] && folders+=("tests/fuzz/corpus/$name")
  "build/fuzz/bin/${name}_fuzz" "$limit" -print_final_stats=1 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="build/fuzz/found/$name-" "${folders[@]}" >"$logs/$name.log" 2>&1
  echo $? >"$logs/$name.result"
}

for name in "${names[@]}"; do
  rm -f "$logs/$name.result"
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  run_one "$name" &
done
wait

found=0
for name in "${names[@]}"; do
  count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$name.log" | tail -n 1)
  if [ "$(cat "$logs/$name.result" 2>/dev/null)" = 0 ]; then
    printf '%-18s %12s executions, nothing found\n' "$name" "${count:-0}"
  else
    found=1
    printf '%-18s %12s executions, FOUND SOMETHING\n' "$name" "${count:-0}"
    tail -n 40 "$logs/$name.log"
  fi
done
exit $found
