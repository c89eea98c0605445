#!/bin/sh
# Prepares a fresh machine to run Drydock; with `test` also to test it, with `long` also to run its long tests. With
# `dashboard` it only builds the dashboard. With `clone`, which `npm link` and `npm ci` call, it only adds missing parts
# of a clone. Prints nothing if everything is present.
set -eu
cd "$(dirname -- "$0")/.."

purpose=${1:-run}

say() {
  echo "setup: $*" >&2
}

# Runs a command whose output matters only when it fails.
quietly() {
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    rm -f "$log"
  else
    status=$?
    cat "$log" >&2
    rm -f "$log"
    say "failed: $*"
    exit "$status"
  fi
}

install_npm_packages() {
  stamp=node_modules/.drydock-package-lock.json
  if cmp -s package-lock.json "$stamp"; then return; fi
  say 'installing npm packages'
  # npm ci removes node_modules, so it must not run on a node from there, as npm scripts do.
  quietly env PATH="$(without_node_modules)" npm ci --ignore-scripts
  cp package-lock.json "$stamp"
}

without_node_modules() {
  printf %s "$PATH" | tr ':' '\n' | grep -v '/node_modules/' | paste -s -d : -
}

can_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1
}

# The server of PostgreSQL is not on the PATH.
has_postgresql() {
  for server in /usr/lib/postgresql/*/bin/postgres; do
    if [ -x "$server" ]; then return 0; fi
  done
  return 1
}

is_tested() {
  [ "$purpose" = test ] || [ "$purpose" = long ]
}

install_system_packages() {
  missing=
  command -v git >/dev/null 2>&1 || missing="$missing git"
  command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
  # The gate works without strace, but sees less, so a missing strace does not fail the setup.
  if ! command -v strace >/dev/null 2>&1 && { is_tested || can_install; }; then missing="$missing strace"; fi
  if is_tested && ! { command -v podman && [ -x /usr/sbin/runc ]; } >/dev/null 2>&1; then
    missing="$missing podman runc"
  fi
  if is_tested && ! command -v chromium >/dev/null 2>&1; then missing="$missing chromium"; fi
  if is_tested && ! has_postgresql; then missing="$missing postgresql"; fi
  if is_tested && ! [ -x /usr/sbin/pgbouncer ]; then missing="$missing pgbouncer"; fi
  if [ "$purpose" = long ]; then
    command -v ip >/dev/null 2>&1 || missing="$missing iproute2"
    command -v openssl >/dev/null 2>&1 || missing="$missing openssl"
    command -v faketime >/dev/null 2>&1 || missing="$missing faketime"
    # The image is built and started both as root and as a user.
    command -v debootstrap >/dev/null 2>&1 || missing="$missing debootstrap"
    command -v newuidmap >/dev/null 2>&1 || missing="$missing uidmap"
    command -v slirp4netns >/dev/null 2>&1 || missing="$missing slirp4netns"
  fi
  if [ -z "$missing" ]; then return; fi
  if [ "$(uname -s)" != Linux ] || ! command -v apt-get >/dev/null 2>&1; then
    say "this machine lacks$missing: install it with its package manager; the sandbox needs Linux"
    exit 1
  fi
  if [ "$(id -u)" != 0 ]; then
    say "this machine lacks$missing; run: sudo apt-get update && sudo apt-get install -y$missing"
    exit 1
  fi
  say "installing$missing"
  export DEBIAN_FRONTEND=noninteractive
  quietly apt-get update
  # shellcheck disable=SC2086 # one word a package
  quietly apt-get install -y --no-install-recommends $missing
}

# Builds a file that is missing or older than its sources. Arguments: a message, the npm script, the file, its sources.
build() {
  said=$1 script=$2 built=$3
  shift 3
  if [ ! -d "$1" ]; then return; fi
  if [ -f "$built" ] && [ -z "$(find "$@" package-lock.json -type f -newer "$built")" ]; then return; fi
  say "$said"
  quietly npm run --silent "$script"
}

case $purpose in
  dashboard) ;;
  clone)
    if [ ! -d node_modules ]; then install_npm_packages; fi
    # Without the development dependencies the dashboard cannot be built.
    if [ ! -x node_modules/.bin/vite ]; then exit; fi
    ;;
  *)
    install_system_packages
    install_npm_packages
    ;;
esac
# A checkout runs its sources until the program is bundled.
if [ "$purpose" != dashboard ]; then build 'bundling the program' build:program dist/program/main.js src; fi
build 'building the dashboard' build:dashboard dist/dashboard/index.html dashboard src/api
