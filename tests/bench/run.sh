#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/bench/run.sh [--seconds=N] [--rounds=N]
#
# Tool calls a second and latency at 50 connections, in pairs with the reference
# server, and what a warm hover costs beyond the language server's own answer.
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
