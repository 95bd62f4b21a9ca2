#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/bench/run.sh [--only=protocol,calls,memory] [--seconds=N] [--rounds=N]
#
# protocol  ping, tools/list, tools/call at 1, 16 and 64 connections and whole
#           sessions, in rounds with a native server and the reference one
# calls     tool calls at 50 connections beside the reference server, and what a
#           warm hover costs beyond the language server's own answer
# memory    what 10,000 idle sessions and 2,000 open streams hold, and give back
#
# Prints medians. Load generator and servers share the machine: read ratios.
set -euo pipefail

cd "$(dirname "$0")/../.."
# shellcheck source=deploy/install.sh
. deploy/install.sh

install_for build
install_for servers
install_packages wrk
npm_install tests
cmake --preset release >/dev/null
CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 cmake --build build/release --target \
  banyan banyan-edge banyan-sessiond banyan-lspd banyan-guardian >/dev/null

PATH="$BANYAN_TOOLS_DIR/bin:$PATH" exec node tests/bench/bench.mjs "$@"
