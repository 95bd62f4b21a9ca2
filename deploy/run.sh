#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# deploy/run.sh [PROJECT_DIR]
#
# Installs what is missing, builds the release and serves MCP for PROJECT_DIR
# (default: this repository) on http://127.0.0.1:8420/mcp until Ctrl-C.
#
# Flags of `banyan serve` come from the environment: BANYAN_LISTEN=127.0.0.1:9000
# deploy/run.sh. BANYAN_LANGUAGES="cpp python" installs only those servers.
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=deploy/install.sh
. "$repository/deploy/install.sh"

if [ $# -gt 1 ] || [ "${1:-}" = --help ]; then
  sed -n '4,10s/^# \{0,1\}//p' "$0"
  exit $(($# > 1))
fi
if ! project=$(cd "${1:-$repository}" 2>/dev/null && pwd -P); then
  say "No such folder: $1"
  exit 1
fi
# A project's name is a word of plain characters.
name=$(basename "$project" | tr -c 'A-Za-z0-9._\n-' '-')

install_for build
install_for servers

build() {
  cmake --preset release -S "$repository" || return
  cmake --build "$repository/build/release" --target banyan banyan-guardian
}
[ -x "$repository/build/release/bin/banyan" ] ||
  say "Building Banyan; the first time takes some minutes"
(cd "$repository" && CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1 quietly build)

listen=${BANYAN_LISTEN:-127.0.0.1:8420}
metrics=${BANYAN_METRICS_LISTEN:-127.0.0.1:8422}

print_how_to_connect() {
  cat <<TEXT

Banyan serves $project
  MCP        http://$listen/mcp
  metrics    http://$metrics/metrics

Connect a client:
  Claude Code   claude mcp add --transport http banyan http://$listen/mcp
  VS Code       code --add-mcp '{"name":"banyan","type":"http","url":"http://$listen/mcp"}'
  Cursor        in ~/.cursor/mcp.json: {"mcpServers": {"banyan": {"url": "http://$listen/mcp"}}}
  Codex         in ~/.codex/config.toml: [mcp_servers.banyan]
                                         url = "http://$listen/mcp"

Ctrl-C stops it.
TEXT
}

# Says how to connect once the server is ready; gives up with the server.
announce_when_ready() {
  local server=$1
  until curl -fsS -o /dev/null "http://$metrics/readyz" 2>/dev/null; do
    kill -0 "$server" 2>/dev/null || return 0
    sleep 0.2
  done
  print_how_to_connect
}

announce_when_ready $$ &
exec "$repository/build/release/bin/banyan" serve \
  --projects="$name=$project" --tools_dir="$BANYAN_TOOLS_DIR"
