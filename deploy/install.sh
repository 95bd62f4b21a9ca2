# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# The one place that knows packages. Sourced by deploy/run.sh, tests/run.sh and
# .ci/run; defines functions, does nothing by itself.
#
#   install_for build     compiler, libraries, build tools
#   install_for servers   the language servers, and what runs them
#   install_for test      what the tests drive and check with
#   install_for check     formatter, linter, fuzzer runtime
#
# Each says what it installs, and nothing when nothing is missing. Works as root
# or with sudo on Debian 12 and 13.
#
# BANYAN_TOOLS_DIR  where our own copies go: pinned Node, the servers from npm,
#                   gopls, the MCP clients of clients/. Its bin/ holds every command by the name that
#                   deploy/server_catalog.json uses; pass it as --tools_dir.
# BANYAN_LANGUAGES  which servers, default "cpp python typescript go rust bash
#                   web"; php too, whose server is free to use but not free
#                   software

BANYAN_REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BANYAN_TOOLS_DIR=${BANYAN_TOOLS_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/banyan/tools}
BANYAN_LANGUAGES=${BANYAN_LANGUAGES:-cpp python typescript go rust bash web}
export BANYAN_TOOLS_DIR

BUILD_PACKAGES=(
  ca-certificates g++ cmake ninja-build pkg-config git ccache mold
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev
  libabsl-dev libcpp-httplib-dev nlohmann-json3-dev libvalijson-dev
  libspdlog-dev libre2-dev libutfcpp-dev libsqlite3-dev libhiredis-dev libssl-dev
  prometheus-cpp-dev libcivetweb-dev libgtest-dev libgmock-dev
)
SERVER_PACKAGES=(ca-certificates curl git ripgrep bubblewrap)
TEST_PACKAGES=(ca-certificates clang git shellcheck procps openssl redis-server
  haproxy nginx-light slowhttptest php-cli)

say() { printf '%s\n' "$*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "Need root or sudo for: $*"
    return 1
  fi
}

has_package() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

is_packaged() {
  apt-cache show "$1" >/dev/null 2>&1
}

# Runs quietly; shows what was printed only when it fails.
quietly() {
  local output
  output=$(mktemp)
  if "$@" >"$output" 2>&1; then
    rm -f "$output"
    return 0
  fi
  say "Failed: $*"
  tail -n 40 "$output" >&2
  rm -f "$output"
  return 1
}

refresh_package_lists() {
  [ -n "${BANYAN_LISTS_ARE_FRESH:-}" ] && return 0
  quietly as_root apt-get update -q || return
  BANYAN_LISTS_ARE_FRESH=1
}

# Installs those of the Debian packages that are missing.
install_packages() {
  local package missing=()
  for package in "$@"; do
    has_package "$package" || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  refresh_package_lists || return
  say "Installing Debian packages: ${missing[*]}"
  quietly as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# The first package of the list that this Debian has.
first_packaged() {
  local package
  for package in "$@"; do
    if has_package "$package" || is_packaged "$package"; then
      printf '%s' "$package"
      return 0
    fi
  done
  refresh_package_lists || return
  for package in "$@"; do
    if is_packaged "$package"; then
      printf '%s' "$package"
      return 0
    fi
  done
  say "This Debian has none of: $*"
  return 1
}

link_tool() {  # link_tool NAME TARGET
  mkdir -p "$BANYAN_TOOLS_DIR/bin"
  [ "$(readlink "$BANYAN_TOOLS_DIR/bin/$1")" = "$2" ] || ln -sfn "$2" "$BANYAN_TOOLS_DIR/bin/$1"
}

# npm_install FOLDER: what FOLDER/package-lock.json says into
# FOLDER/node_modules, when that is not there yet.
npm_install() {
  local folder=$1 wanted
  wanted=$(sha256sum <"$folder/package-lock.json")
  [ "$(cat "$folder/node_modules/.installed" 2>/dev/null)" = "$wanted" ] && return 0
  command -v npm >/dev/null || install_packages nodejs npm || return
  say "Installing npm packages of $folder"
  quietly npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error || return
  printf '%s' "$wanted" >"$folder/node_modules/.installed"
}

# Pinned Node and the servers that run on it.
install_npm_tools() {
  local file command
  mkdir -p "$BANYAN_TOOLS_DIR/bin"
  for file in package.json package-lock.json; do
    cmp -s "$BANYAN_REPOSITORY/deploy/tools/$file" "$BANYAN_TOOLS_DIR/$file" ||
      cp "$BANYAN_REPOSITORY/deploy/tools/$file" "$BANYAN_TOOLS_DIR/$file"
  done
  npm_install "$BANYAN_TOOLS_DIR" || return
  for command in "$BANYAN_TOOLS_DIR"/node_modules/.bin/*; do
    link_tool "$(basename "$command")" "../node_modules/.bin/$(basename "$command")"
  done
  # Older npm makes no link for Node; and of two TypeScripts the short name is
  # the native one's.
  for command in "$BANYAN_TOOLS_DIR"/node_modules/node-linux-*/bin/node; do
    link_tool node "../${command#"$BANYAN_TOOLS_DIR/"}"
  done
  link_tool tsc ../node_modules/typescript/bin/tsc
}

version_at_least() {  # version_at_least HAVE WANTED
  [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# The newest gopls that the Go at hand can build.
gopls_version() {
  local go
  go=$(go env GOVERSION | sed 's/^go//')
  if version_at_least "$go" 1.26.0; then
    echo v0.23.0
  elif version_at_least "$go" 1.24.2; then
    echo v0.20.0
  else
    echo v0.16.2
  fi
}

install_gopls() {
  command -v go >/dev/null || install_packages golang-go || return
  local wanted
  wanted=$(gopls_version) || return
  [ "$(cat "$BANYAN_TOOLS_DIR/gopls.installed" 2>/dev/null)" = "$wanted" ] && return 0
  say "Building gopls $wanted"
  mkdir -p "$BANYAN_TOOLS_DIR/bin"
  quietly env GOBIN="$BANYAN_TOOLS_DIR/bin" GOTOOLCHAIN=local GOFLAGS=-mod=mod \
    go install "golang.org/x/tools/gopls@$wanted" || return
  printf '%s' "$wanted" >"$BANYAN_TOOLS_DIR/gopls.installed"
}

# Debian's analyzer beside a toolchain from rustup is fine, but the packages
# name each other as conflicts: then only the analyzer itself is unpacked.
install_rust_analyzer() {
  if command -v cargo >/dev/null && ! has_package cargo && ! has_package cargo-web; then
    unpack_program /usr/bin/rust-analyzer rust-web-analyzer rust-analyzer
    return
  fi
  if [ "$(first_packaged rust-web-analyzer rust-analyzer)" = rust-web-analyzer ]; then
    install_packages cargo-web rustc-web rust-web-analyzer rust-web-src || return
  else
    install_packages cargo rustc rust-analyzer rust-src || return
  fi
  link_tool rust-analyzer /usr/bin/rust-analyzer
}

# unpack_program PATH PACKAGE...: one program out of the first of these Debian
# packages, and the shared libraries of Rust that it needs, with nothing
# installed or started.
unpack_program() {
  local path=$1 name folder package library
  name=$(basename "$path")
  shift
  "$BANYAN_TOOLS_DIR/bin/$name" --version >/dev/null 2>&1 && return 0
  package=$(first_packaged "$@") || return
  say "Unpacking $name from the Debian package $package"
  folder=$BANYAN_TOOLS_DIR/unpacked/$package
  mkdir -p "$folder" "$BANYAN_TOOLS_DIR/bin"
  for library in "$package" $(apt-cache depends "$package" | sed -n 's/^ *Depends: \(libstd-rust.*\)/\1/p'); do
    (cd "$folder" && quietly apt-get download -q "$library" &&
      dpkg-deb -x "$library"_*.deb . && rm -f "$library"_*.deb) || return
  done
  # Rust's own library is looked up beside the program's folder.
  rm -f "$BANYAN_TOOLS_DIR/bin/$name"
  cat >"$BANYAN_TOOLS_DIR/bin/$name" <<RUN
#!/bin/sh
LD_LIBRARY_PATH="$folder/usr/lib:$folder/usr/lib/$(uname -m)-linux-gnu\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" exec "$folder$path" "\$@"
RUN
  chmod +x "$BANYAN_TOOLS_DIR/bin/$name"
  quietly "$BANYAN_TOOLS_DIR/bin/$name" --version
}

install_php_server() {
  local file
  mkdir -p "$BANYAN_TOOLS_DIR/php" "$BANYAN_TOOLS_DIR/bin"
  for file in package.json package-lock.json; do
    cmp -s "$BANYAN_REPOSITORY/deploy/tools/php/$file" "$BANYAN_TOOLS_DIR/php/$file" ||
      cp "$BANYAN_REPOSITORY/deploy/tools/php/$file" "$BANYAN_TOOLS_DIR/php/$file"
  done
  npm_install "$BANYAN_TOOLS_DIR/php" || return
  link_tool intelephense ../php/node_modules/.bin/intelephense
}

install_servers() {
  local language program
  install_packages "${SERVER_PACKAGES[@]}" || return
  install_npm_tools || return
  for language in $BANYAN_LANGUAGES; do
    case $language in
      cpp)
        # In the order in which the catalogue looks for them.
        program=$(first_packaged clangd-22 clangd-19) || return
        install_packages "$program" || return
        link_tool clangd "/usr/bin/$program"
        ;;
      go) install_gopls || return ;;
      rust) install_rust_analyzer || return ;;
      bash) install_packages shellcheck || return ;;
      php) install_php_server || return ;;
      python | typescript | web) ;;  # from npm
      *)
        say "BANYAN_LANGUAGES names a language without an installer: $language"
        return 1
        ;;
    esac
  done
}

# What tests/system/clients/ needs: Python's MCP clients in a folder of their
# own, and one in Go.
install_python_clients() {
  local folder=$BANYAN_TOOLS_DIR/clients/python wanted
  local requirements=$BANYAN_REPOSITORY/tests/system/clients/requirements.txt
  wanted=$(sha256sum <"$requirements")
  [ "$(cat "$folder/.installed" 2>/dev/null)" = "$wanted" ] && return 0
  python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages python3-venv || return
  say "Installing MCP clients for Python"
  quietly python3 -m venv --clear "$folder" || return
  quietly "$folder/bin/pip" install -q --no-deps --only-binary=:all: --disable-pip-version-check \
    -r "$requirements" || return
  printf '%s' "$wanted" >"$folder/.installed"
}

install_go_client() {
  local program=$BANYAN_TOOLS_DIR/clients/go_client wanted
  local source=$BANYAN_REPOSITORY/tests/system/clients/go_client
  command -v go >/dev/null || install_packages golang-go || return
  wanted=$(cat "$source"/* | sha256sum)
  [ "$(cat "$program.installed" 2>/dev/null)" = "$wanted" ] && return 0
  if ! version_at_least "$(go env GOVERSION | sed 's/^go//')" "$(sed -n 's/^go //p' "$source/go.mod")"; then
    say "The Go here is too old for the MCP client in Go: its test is skipped."
    return 0
  fi
  say "Building the MCP client in Go"
  (cd "$source" && quietly env GOTOOLCHAIN=local GOFLAGS=-mod=readonly go build -o "$program" .) || return
  printf '%s' "$wanted" >"$program.installed"
}

install_test_programs() {
  local runtime
  runtime=$(first_packaged libclang-rt-14-dev libclang-rt-19-dev) || return
  install_packages "${TEST_PACKAGES[@]}" "$runtime" || return
  unpack_program /usr/bin/promtool prometheus || return
  install_python_clients || return
  install_go_client
}

# Checkers of one version, so that they agree everywhere. Debian 13 has them
# too, in newer versions only: there they are left to CI on Debian 12.
install_checkers() {
  if is_packaged clang-format-14 || { refresh_package_lists && is_packaged clang-format-14; }; then
    install_packages clang-format-14 clang-tidy-14
  fi
}

install_for() {
  if ! command -v apt-get >/dev/null; then
    say "This is not a Debian: install what deploy/install.sh names by hand."
    return 1
  fi
  case $1 in
    build) install_packages "${BUILD_PACKAGES[@]}" ;;
    servers) install_servers ;;
    test) install_test_programs ;;
    check) install_checkers ;;
    *)
      say "install_for: no such group: $1"
      return 1
      ;;
  esac
}
