#!/bin/sh
# Builds keytar 7.9.0 in DIRECTORY, from npm alone, and prints where it lies. Its own install script would
# ask for a download; the headers come with npm's package of Node instead. No package's script runs.
#
#   export COUNTERSIGN_KEYTAR="$(sh test/support/install-keytar.sh "$(mktemp -d)")"
#
# Needs: apt-get install build-essential pkg-config python3 libsecret-1-dev
set -eu
prefix=${1:?usage: install-keytar.sh DIRECTORY}
cd "$(dirname "$0")/../.."

# The same Node as the tests': node_modules/node is this version of this package.
version=$(node -p 'require("./package.json").devDependencies.node')
headers=$(node -p '`node-${process.platform}-${process.arch}`')

mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
[ -f "$prefix/package.json" ] || echo '{"private": true}' >"$prefix/package.json"
npm install --prefix "$prefix" --ignore-scripts --no-audit --no-fund --loglevel=error \
  keytar@7.9.0 node-gyp@12.4.0 "$headers@$version" >&2

modules=$prefix/node_modules
cd "$modules/keytar"
"$modules/$headers/bin/node" "$modules/node-gyp/bin/node-gyp.js" rebuild \
  --nodedir="$modules/$headers" --loglevel=error >&2

echo "$modules/keytar"
