#!/usr/bin/env bash
# The Secret Service agrees on a key by Diffie-Hellman over numbers of 1,024 bits, which are 128 bytes. KWallet keeps such a
# number as a signed one and writes it as short as it can. So (1) it drops the zero byte with which one shared secret in 256 starts,
# and derives another key than a client that keeps it, as libsecret and Rust's secret-service do; (2) it misreads the client's
# public key where that starts with nine bits that are set, which is one in 512; (3) it refuses a client that sends its own public key without
# the zero byte, as Rust's does, one in 256. In (1) and (2) the session opens, an item's secret comes out as noise, and storing
# one is often answered "Can't find session". A program that opens a session at each start fails at one start in a hundred or two; its
# next session works.
# It needs Debian 12's kwalletd5: apt-get install libkf5wallet-bin libqca-qt5-2-plugins dbus python3
set -euo pipefail
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
echo '{"private": true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts dbus-next@0.10.2
mkdir -m 700 home run
export HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/run" QT_QPA_PLATFORM=offscreen
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME DISPLAY WAYLAND_DISPLAY

# What a desktop's login does to open the wallet: the password's hash by a pipe, the environment by a socket.
cat >login.py <<'PY'
import os, socket
path = os.path.join(os.environ["XDG_RUNTIME_DIR"], "pam")
listening = socket.socket(socket.AF_UNIX); listening.bind(path); listening.listen(1)
given = socket.socket(socket.AF_UNIX); given.connect(path)
for name, value in os.environ.items():
    if "\n" not in value: given.send(f"{name}={value}\n".encode())
given.close()
reading, writing = os.pipe(); os.write(writing, b"x" * 56); os.close(writing)
os.environ["PAM_KWALLET5_LOGIN"] = path
for each in (reading, listening.fileno()): os.set_inheritable(each, True)
os.execvp("kwalletd5", ["kwalletd5", "--pam-login", str(reading), str(listening.fileno())])
PY

cat >bus.conf <<XML
<busconfig><type>session</type><listen>unix:dir=$scratch/run</listen><auth>EXTERNAL</auth>
<policy context="default"><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
XML

cat >run.cjs <<'JS'
const { createDecipheriv, getDiffieHellman, hkdfSync, randomBytes } = require("node:crypto")
const { spawn, spawnSync } = require("node:child_process")
const dbus = require("dbus-next")
const sessions = 4_000
const [service, secrets] = ["org.freedesktop.secrets", "/org/freedesktop/secrets"]
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const big = (bytes) => BigInt(`0x${bytes.toString("hex")}`)
const prime = big(getDiffieHellman("modp2").getPrime())
/** 128 bytes. */
function power(base, exponent) {
  let [result, square] = [1n, big(base)]
  for (let left = big(exponent); left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % prime
    square = (square * square) % prime
  }
  return Buffer.from(result.toString(16).padStart(256, "0"), "hex")
}
async function main() {
  const bus = dbus.sessionBus()
  const call = async (path, name, member, signature = "", body = []) => {
    const message = { destination: service, path, interface: `org.freedesktop.Secret.${name}`, member, signature, body }
    return (await bus.call(new dbus.Message(message))).body
  }
  const login = async (isIn) => {
    const wallet = spawn("python3", ["login.py"], { stdio: "ignore" })
    process.once("exit", () => wallet.kill())
    for (let left = 300; left > 0; left -= 1) {
      const found = await call(secrets, "Service", "ReadAlias", "s", ["default"]).catch(() => [])
      if (isIn(found[0])) return [wallet, found[0]]
      await pause(100)
    }
    throw new Error("the wallet doesn't open")
  }
  const end = async (wallet) => {
    spawnSync("busctl", ["--user", "call", "org.kde.kwalletd5", "/modules/kwalletd5", "org.kde.KWallet", "close", "sb", "kdewallet", "true"])
    wallet.kill("SIGTERM")
    await new Promise((resolve) => wallet.once("exit", resolve))
    spawnSync("rm", ["-f", `${process.env.XDG_RUNTIME_DIR}/pam`])
  }
  // The first login makes the wallet, the second one serves it.
  const [first] = await login((collection) => collection === "/")
  await end(first)
  const [wallet, collection] = await login((collection) => collection?.startsWith("/org"))
  // It calls the open wallet locked until a client went through a prompt, which asks nobody.
  const [, prompt] = await call(secrets, "Service", "Unlock", "ao", [[collection]])
  if (prompt !== "/") await call(prompt, "Prompt", "Prompt", "s", [""])
  await pause(1_000)
  const text = (value) => new dbus.Variant("s", value)
  const properties = {
    "org.freedesktop.Secret.Item.Label": text("one"),
    "org.freedesktop.Secret.Item.Attributes": new dbus.Variant("a{ss}", { service: "one" }),
  }
  const [, plain] = await call(secrets, "Service", "OpenSession", "sv", ["plain", text("")])
  const secret = [plain, Buffer.alloc(0), Buffer.from("the secret"), "text/plain"]
  const [item] = await call(collection, "Collection", "CreateItem", "a{sv}(oayays)b", [properties, secret, true])
  const seen = { refused: 0, noise: 0, negative: 0, other: 0 }
  for (let left = sessions; left > 0; left -= 1) {
    const exponent = randomBytes(32)
    const padded = power(Buffer.from([2]), exponent)
    const open = (key) => {
      const algorithm = ["dh-ietf1024-sha256-aes128-cbc-pkcs7", new dbus.Variant("ay", key)]
      return call(secrets, "Service", "OpenSession", "sv", algorithm)
    }
    if (padded[0] === 0) {
      const isTaken = await open(padded.subarray(1)).then(() => true, () => false)
      seen[isTaken ? "other" : "refused"] += 1
    }
    const opened = await open(padded)
    const whole = power(Buffer.from(opened[0].value), exponent)
    const read = async (from) => {
      const [[, iv, value]] = await call(item, "Item", "GetSecret", "o", [opened[1]])
      const key = Buffer.from(hkdfSync("sha256", from, "", "", 16))
      const cipher = createDecipheriv("aes-128-cbc", key, Buffer.from(iv))
      return Buffer.concat([cipher.update(Buffer.from(value)), cipher.final()]).toString()
    }
    const isRead = async (from) => (await read(from).catch(() => "noise")) === "the secret"
    if (await isRead(whole)) continue
    const without = whole.subarray(whole.findIndex((byte) => byte !== 0))
    const isNegative = padded[0] === 0xff && padded[1] >= 0x80
    seen[whole[0] === 0 && (await isRead(without)) ? "noise" : isNegative ? "negative" : "other"] += 1
  }
  console.error(seen)
  console.log(`refused where the client's public key came without its zero byte: ${seen.refused > 0}`)
  console.log(`noise where the shared secret does, but for a client that drops the zero: ${seen.noise > 0}`)
  console.log(`noise where the client's public key starts with ff and a bit: ${seen.negative > 0}`)
  console.log(`any other session that failed: ${seen.other > 0}`)
  await end(wallet)
  bus.disconnect()
}
void main()
JS
{
  dpkg-query --show libkf5wallet-bin
  dbus-run-session --config-file=bus.conf -- node run.cjs
} | tee seen
diff - seen <<'SEEN'
libkf5wallet-bin	5.103.0-1
refused where the client's public key came without its zero byte: true
noise where the shared secret does, but for a client that drops the zero: true
noise where the client's public key starts with ff and a bit: true
any other session that failed: false
SEEN
