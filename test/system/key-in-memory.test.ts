import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it, type TestContext } from "node:test"

import { vaultProcess } from "../../src/commands/daemon/start-daemon.ts"
import { utf8 } from "../../src/std/bytes.ts"
import { decryptV3 } from "../../src/vault/keyring/keystore-v3.ts"
import { bot, limitOrder } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  makePassphraseInstallation,
  passphrase,
  sandbox,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { needsNative } from "../support/curves.ts"
import { formsOf, scanMemory, type Wanted } from "../support/memory-scan.ts"
import { childRunning, killAllNaming, processesNaming } from "../support/process-tree.ts"
import { addClient, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

// The memory of a running vault, read from outside, by root or by whoever started it.

describe("a scan of a process's memory", () => {
  it("finds a planted key in each of its forms", async (t) => {
    const secret = randomBytes(32)
    const forms = formsOf(secret)
    const pid = await plant(t, Buffer.concat(Object.values(forms)))
    const { hits } = scanMemory(pid, [{ name: "planted", secret }])
    const missed = Object.keys(forms).filter((form) => !(`planted: ${form}` in hits))
    assert.deepEqual(missed, [])
  })

  it("finds what JavaScript makes of a key, and the half that is left of one", async (t) => {
    const secret = randomBytes(32)
    const { bytes, hits } = scanMemory(await plant(t, secret, "javascript"), [
      { name: "planted", secret },
    ])
    for (const form of ["lower-case hex", "upper-case hex", "base64"]) {
      assert.ok(`planted: ${form}` in hits, form)
    }
    assert.ok("planted: little-endian limbs, lowest first" in hits)
    t.diagnostic(`${bytes} bytes read: ${JSON.stringify(hits)}`)

    const half = scanMemory(await plant(t, secret.subarray(16)), [{ name: "planted", secret }])
    assert.ok("planted: raw bytes" in half.hits)
  })

  it("finds nothing of a key that isn't there", async (t) => {
    const pid = await plant(t, randomBytes(32), "javascript")
    assert.deepEqual(scanMemory(pid, [{ name: "other", secret: randomBytes(32) }]).hits, {})
  })
})

/** Starts a process that keeps `bytes`, and tells its id. */
async function plant(t: TestContext, bytes: Uint8Array, form = "bytes"): Promise<number> {
  const script = join(import.meta.dirname, "../support/planted-key.js")
  const child = spawn(process.execPath, [script, form], { stdio: ["pipe", "pipe", "inherit"] })
  t.after(() => child.kill())
  child.stdin.write(bytes)
  await once(child.stdout, "data")
  assert.ok(child.pid !== undefined)
  return child.pid
}

describe("a key in the vault's memory", { timeout: 300_000, ...needsNative }, () => {
  const orders = "/sign/v1/trade/orders"
  const wanted: Wanted[] = [
    { name: "main", secret: randomBytes(32) },
    { name: "mm", secret: randomBytes(32) },
    { name: "passphrase", secret: utf8(passphrase) },
  ]
  let venue: Served
  let installation: TemporaryInstallation
  let daemon: Served
  let token: string
  before(async () => {
    venue = await sandbox()
    installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
    await writePolicy(installation.dir, tradingPolicy)
    daemon = await serve(installation.dir)
    wanted.push({ name: "master", secret: await secretIn("master", utf8(passphrase)) })
  })
  after(async () => {
    await daemon.stop()
    await venue.stop()
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const dir = (): readonly string[] => ["--dir", installation.dir]
  const secretIn = (name: string, password: Uint8Array): Promise<Uint8Array> =>
    decryptV3(readFileSync(join(installation.dir, "keystore", `${name}.json`), "utf8"), password)
  const secretOf = (name: string): Uint8Array => {
    const found = wanted.find((each) => each.name === name)
    assert.ok(found)
    return found.secret
  }
  const importKey = async (name: string, ...options: readonly string[]): Promise<void> => {
    const hex = Buffer.from(secretOf(name)).toString("hex")
    await countersignJson(["keys", "import", ...dir(), "--name", name, ...options], hex)
  }
  const signMany = async (): Promise<void> => {
    const client = bot(daemon.url, token)
    for (let left = 100; left > 0; left--) {
      assert.equal((await client.post(orders, limitOrder())).status, 200)
    }
  }
  /** Each of `names` lies once in memory, as its bytes, and of nothing else there is a trace. */
  const assertHeld = async (t: TestContext, names: readonly string[]): Promise<void> => {
    const { pid } = await childRunning(daemon.pid, "vault/main")
    const { bytes, hits } = scanMemory(pid, wanted)
    t.diagnostic(`${bytes} bytes read: ${JSON.stringify(hits)}`)
    assert.deepEqual(hits, Object.fromEntries(names.map((name) => [`${name}: raw bytes`, 1])))
  }

  it("isn't there before it is imported; what opens the key store is, once", async (t) => {
    await assertHeld(t, ["master"])
  })

  it("is there once, as bytes, when it is imported", async (t) => {
    await importKey("main", "--role", "wallet")
    await assertHeld(t, ["main", "master"])
    await importKey("mm", "--role", "agent", "--wallet", "main")
    await assertHeld(t, ["main", "mm", "master"])
    token = await addClient(installation.dir, "bot")
  })

  it("is there once, as bytes, when it has signed", async (t) => {
    await signMany()
    await assertHeld(t, ["main", "mm", "master"])
  })

  it("isn't there any more after a lock", async (t) => {
    await countersignJson(["lock", ...dir()])
    await assertHeld(t, [])
  })

  it("is there once again after an unlock, and the passphrase that came with it isn't", async (t) => {
    await countersignJson(["unlock", ...dir(), "--passphrase-file", installation.passphraseFile])
    await assertHeld(t, ["main", "mm", "master"])
  })

  it("stays what it was when another takes its place", async (t) => {
    const days = ["--valid-days", "30"]
    await countersignJson(["agent", "approve", "mm", ...dir(), ...days])
    await countersignJson(["agent", "rotate", "mm", ...dir(), ...days])
    wanted.push({ name: "mm-2", secret: await secretIn("mm-2", secretOf("master")) })
    await signMany()
    await assertHeld(t, ["main", "mm", "mm-2", "master"])
  })

  it("needs a passphrase that is nowhere once it was typed at a start", async (t) => {
    const place = await makePassphraseInstallation()
    t.after(() => place.remove())
    const file = join(place.dir, "countersign.yaml")
    writeFileSync(file, readFileSync(file, "utf8").replace(/^ *passphrase_file.*\n/m, ""))
    const typed = {
      ...{ passphraseFile: undefined, input: Buffer.from(passphrase), usesKeychain: false },
      signerDir: join(place.home, "signers"),
    }
    const starting = { installation: { configDir: place.dir, stateDir: place.dir } }
    const vault = await vaultProcess(starting, typed)
    t.after(() => vault.stop())
    const [started] = processesNaming(place.dir)
    assert.ok(started)
    assert.deepEqual(
      scanMemory(started.pid, [{ name: "typed", secret: utf8(passphrase) }]).hits,
      {},
    )
  })

  it("is there once after a start, and isn't after a lock that follows", async (t) => {
    await daemon.stop()
    daemon = await serve(installation.dir)
    await assertHeld(t, ["main", "mm", "mm-2", "master"])
    await signMany()
    const { stdout } = await countersign(["lock", ...dir()])
    assert.match(stdout, /^Locked: no key is in memory\. /)
    await assertHeld(t, [])
  })
})
