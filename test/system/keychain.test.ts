import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import type { KeyView } from "../../src/contract/bot-views.ts"
import { bot, limitOrder } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  countersignProcess,
  makeInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { needsNative } from "../support/curves.ts"
import { scanMemory } from "../support/memory-scan.ts"
import { childRunning, killAllNaming } from "../support/process-tree.ts"
import {
  needsSecretService,
  setEnvironment,
  startSecretService,
  type SecretService,
} from "../support/secret-service.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

/** Refusals are promised within 10 s. */
const generousMs = 30_000

describe("a daemon whose keys rest in the system's keychain", needsSecretService(), () => {
  let keychain: SecretService
  let installation: TemporaryInstallation
  beforeEach(async () => {
    keychain = await startSecretService()
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "keychain"])
  })
  afterEach(async () => {
    await killAllNaming(installation.dir)
    await installation.remove()
    await keychain.stop()
  })

  it("signs with a key that only the keychain holds, after a restart of everything", async () => {
    const { dir } = installation
    await writePolicy(dir, tradingPolicy)
    const { agent } = await makeTradingKeys(dir)
    const token = await addClient(dir, "bot")
    assert.deepEqual(readdirSync(dir).includes("keystore"), false)
    for (let run = 1; run <= 2; run += 1) {
      await keychain.restart()
      const daemon = await serve(dir)
      const answer = await bot(daemon.url, token).post("/sign/v1/trade/orders", limitOrder())
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, new RegExp(agent.address))
      await daemon.stop()
    }
  })

  it("is the choice of init where it works, which says so", async () => {
    const dir = join(installation.home, "chosen")
    const made = await countersignJson<{ backend: string; why: string }>(["init", "--dir", dir])
    assert.equal(made.backend, "keychain")
    assert.match(made.why, /unlocked/)
  })

  it("locks and unlocks its keys without a restart", async () => {
    const { dir } = installation
    await makeTradingKeys(dir)
    const daemon = await serve(dir)
    await countersignJson(["lock", "--dir", dir])
    await keychain.lock()
    const refused = await countersign(["unlock", "--dir", dir])
    assert.equal(refused.code, 4)
    assert.match(refused.stderr, /locked/)
    await keychain.restart()
    const { keys } = await countersignJson<{ keys: number }>(["unlock", "--dir", dir])
    assert.equal(keys, 2)
    await daemon.stop()
  })

  it("has each key once in memory, as bytes, and none after a lock", needsNative, async (t) => {
    const at = ["--dir", installation.dir]
    const wanted = ["main", "other"].map((name) => ({ name, secret: randomBytes(32) }))
    for (const { name, secret } of wanted) {
      const args = ["keys", "import", ...at, "--name", name, "--role", "wallet"]
      await countersignJson(args, Buffer.from(secret).toString("hex"))
    }
    const daemon = await serve(installation.dir)
    const { pid } = await childRunning(daemon.pid, "vault/main")
    const held = { "main: raw bytes": 1, "other: raw bytes": 1 }
    for (const [command, hits] of [
      ["status", held],
      ["lock", {}],
      ["unlock", held],
      ["lock", {}],
    ] as const) {
      await countersignJson([command, ...at])
      const scan = scanMemory(pid, wanted)
      t.diagnostic(`${scan.bytes} bytes read after ${command}: ${JSON.stringify(scan.hits)}`)
      assert.deepEqual(scan.hits, hits)
    }
    await daemon.stop()
  })

  const troubles: Readonly<Record<string, [() => void | Promise<void>, RegExp]>> = {
    "is locked": [() => keychain.lock(), /locked.*unlock/i],
    "doesn't answer": [() => keychain.signal("SIGSTOP"), /doesn't answer/],
    "isn't running": [() => keychain.kill(), /keyring|Secret Service/i],
    "holds another key under a name": [
      () => storeAnother(installation.dir),
      /something else than the key mm/,
    ],
    "lost a key": [() => forget(installation.dir), /mm/],
  }
  for (const [trouble, [cause, sentence]] of Object.entries(troubles)) {
    it(`refuses to start with a sentence when the keychain ${trouble}`, async () => {
      const { dir } = installation
      await makeTradingKeys(dir)
      await cause()
      const args = ["serve", "--dir", dir, "--port", "0"]
      const ended = await countersignProcess(args, "", { limitMs: generousMs })
      assert.ok(ended.code === 1 || ended.code === 4, `${ended.code}: ${ended.stderr}`)
      assert.match(ended.stderr, sentence)
      assert.doesNotMatch(ended.stderr, /^ {4}at /m)
      keychain.signal("SIGCONT")
    })
  }

  it("refuses to start with a sentence without a bus", async () => {
    const { dir } = installation
    await makeTradingKeys(dir)
    const restore = setEnvironment({ DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" })
    const ended = await countersignProcess(["serve", "--dir", dir, "--port", "0"])
    restore()
    assert.equal(ended.code, 4, ended.stderr)
    assert.match(ended.stderr, /bus/)
  })

  it("exports a key like any other", async () => {
    const { dir, home } = installation
    const { agent } = await makeTradingKeys(dir)
    const passwordFile = join(home, "password")
    writeFileSync(passwordFile, "a password of this test\n", { mode: 0o600 })
    const to = join(home, "mm.json")
    const args = ["keys", "export", "--dir", dir, "--name", "mm", "--to", to]
    await countersignJson<KeyView>([...args, "--password-file", passwordFile])
    const written = JSON.parse(readFileSync(to, "utf8")) as { address: string }
    assert.equal(`0x${written.address}`.toLowerCase(), agent.address.toLowerCase())
  })
})

/** Replaces the item of `mm` with the secret of another key. */
function storeAnother(dir: string): void {
  secretTool("store", dir, `${"0".repeat(62)}11`)
}

function forget(dir: string): void {
  secretTool("clear", dir)
}

/** The attributes are those of the native library. */
function secretTool(verb: "store" | "clear", dir: string, input = ""): void {
  const { service, account } = JSON.parse(
    readFileSync(join(dir, "keychain", "mm.json"), "utf8"),
  ) as { service: string; account: string }
  const attributes = ["service", service, "username", account]
  const label = verb === "store" ? ["--label", "test"] : []
  execFileSync("secret-tool", [verb, ...label, ...attributes], { input, timeout: 10_000 })
}
