#!/usr/bin/env bash
# Key files and other people's packages, each pinned, installed in a directory that goes away again.
#   with-tools.sh write            prints written.json anew: a file by each package
#   with-tools.sh open FILE…       opens files, each under the password in FILE.password, by each package, and prints
#                                  what came out
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
files=()
[ "$1" = write ] || for file in "${@:2}"; do files+=("$(realpath "$file")"); done
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
echo '{"private": true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
  ethers-5@npm:ethers@5.8.0 ethers-6@npm:ethers@6.17.0 \
  web3-1@npm:web3-eth-accounts@1.10.4 web3-4@npm:web3-eth-accounts@4.3.1 \
  keythereum@1.2.0 ethereumjs-wallet@1.0.2 thor-devkit@2.0.9 >&2
cp "$here/tools.cjs" .
node tools.cjs "$1" ${files[@]+"${files[@]}"}
