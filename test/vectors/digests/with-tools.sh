#!/usr/bin/env bash
# The digests of typed-data.json by other people's packages, each pinned, installed in a directory that goes away again.
# Prints made.json anew.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
echo '{"private": true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
  ethers-5@npm:ethers@5.8.0 ethers-6@npm:ethers@6.17.0 viem@2.57.1 ox@1.8.3 \
  web3-eth-abi@4.4.1 @metamask/eth-sig-util@9.0.0 eth-sig-util@3.0.1 >&2
cp "$here/tools.mjs" "$here/typed-data.json" .
node tools.mjs
