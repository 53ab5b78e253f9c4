#!/usr/bin/env bash
# Web3 Secret Storage, version 3, doesn't say in which form of Unicode a password is. ethers brings it into NFKC, web3
# takes it as it was typed. So a file that one of them wrote under "nº 5" doesn't open in the other, by the very same password,
# and both say that the password is wrong. Besides, ethers 6 writes the member `Crypto` with a capital letter, as the earliest files have it: web3
# opens such a file only where its third argument says not to be strict.
set -euo pipefail
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
echo '{"private": true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts ethers@6.17.0 web3-eth-accounts@4.3.1
cat >run.cjs <<'JS'
const { Wallet, encryptKeystoreJson, computeAddress } = require("ethers")
const { decrypt, encrypt } = require("web3-eth-accounts")
const version = (name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`
const privateKey = "0x" + "11".repeat(32)
const account = { address: computeAddress(privateKey), privateKey }
const opens = (promise) => promise.then(() => "opens", () => "refused")
async function main() {
  console.log(`${version("ethers")}, ${version("web3-eth-accounts")}`)
  for (const [what, password] of [["plain", "no 5"], ["not in NFKC", "nº 5"]]) {
    const byEthers = await encryptKeystoreJson(account, password, { scrypt: { N: 1024 } })
    const byWeb3 = JSON.stringify(await encrypt(privateKey, password, { n: 1024 }))
    console.log(`${what}: ethers' in web3 ${await opens(decrypt(byEthers, password, true))} (strictly ${await opens(decrypt(byEthers, password))}), web3's in ethers ${await opens(Wallet.fromEncryptedJson(byWeb3, password))}`)
  }
}
void main()
JS
node run.cjs | tee seen
diff - seen <<'SEEN'
ethers 6.17.0, web3-eth-accounts 4.3.1
plain: ethers' in web3 opens (strictly refused), web3's in ethers opens
not in NFKC: ethers' in web3 refused (strictly refused), web3's in ethers refused
SEEN
