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

# Passes the server's log on, and says how to connect once this server itself
# says that it serves: another one may be listening on the same ports. Ctrl-C is
# for the server; this ends with the server's log.
announce_when_served() {
  trap '' INT TERM
  local line
  while IFS= read -r line; do
    printf '%s\n' "$line" >&2
    case $line in *'Serving MCP on '*) print_how_to_connect && break ;; esac
  done
  exec cat >&2
}

# As a file, since a comma in a folder's name would split the flag.
projects_file() {
  local root=${project//\\/\\\\}
  printf '{"projects": [{"name": "%s", "root": "%s"}]}' "$name" "${root//\"/\\\"}"
}

exec "$repository/build/release/bin/banyan" serve \
  --projects_file=<(projects_file) --tools_dir="$BANYAN_TOOLS_DIR" \
  2> >(announce_when_served)
