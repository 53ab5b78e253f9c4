import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { StatusView } from "../../src/contract/views.ts"
import { bot, limitOrder } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  countersignProcess,
  makeInstallation,
  serve,
  statusJson,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const path = "/sign/v1/trade/orders"

describe("countersign lock and unlock", () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let token: string
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("stop and resume signing without a restart, and health tells", async () => {
    const { dir } = installation
    const client = bot(daemon.url, token)
    assert.equal((await client.post(path, limitOrder())).status, 200)
    await countersignJson(["lock", "--dir", dir])
    const refused = await client.post(path, limitOrder())
    assert.equal(refused.status, 423)
    assert.equal((JSON.parse(refused.text) as { code: string }).code, "locked")
    assert.equal((await fetch(`${daemon.url}/healthz`)).status, 200)
    const ready = await fetch(`${daemon.url}/readyz`)
    assert.equal(ready.status, 503)
    assert.match(await ready.text(), /locked/)
    const { state } = await statusJson<Pick<StatusView, "state">>(["--dir", dir])
    assert.deepEqual([state.signs, state.reasons[0]?.code], ["nothing", "locked"])

    await countersignJson(["unlock", "--dir", dir])
    assert.equal((await client.post(path, limitOrder())).status, 200)
    assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200)
  })

  it("keep the keys locked when the passphrase is wrong", async () => {
    const { dir, home } = installation
    const wrong = join(home, "wrong")
    writeFileSync(wrong, "incorrect horse\n", { mode: 0o600 })
    await countersignJson(["lock", "--dir", dir])
    const ended = await countersign(["unlock", "--dir", dir, "--passphrase-file", wrong])
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /passphrase/i)
    assert.equal((await bot(daemon.url, token).post(path, limitOrder())).status, 423)
    await countersignJson(["unlock", "--dir", dir])
  })
})

describe("countersign lock without a daemon", () => {
  it("says that no key is in memory", async () => {
    const installation = await makeInstallation()
    for (const command of ["lock", "unlock"]) {
      const ended = await countersign([command, "--dir", installation.dir])
      assert.equal(ended.code, 4)
      assert.match(ended.stderr, /No daemon runs here/)
    }
    await installation.remove()
  })
})

describe("a keystore under a systemd credential", () => {
  it("is opened by the file that systemd puts into $CREDENTIALS_DIRECTORY", async () => {
    const place = await makeInstallation(["--backend", "memory"])
    const secretFile = join(place.home, "countersign-key")
    writeFileSync(secretFile, `${"k".repeat(43)}=\n`, { mode: 0o400 })
    const dir = join(place.home, "credential")
    const args = ["init", "--dir", dir, "--backend", "keystore", "--venue", "sandbox"]
    const byCredential = ["--credential", "countersign-key", "--passphrase-file", secretFile]
    await countersignJson([...args, ...byCredential])
    const written = readFileSync(join(dir, "countersign.yaml"), "utf8")
    assert.match(written, /^ {2}credential: countersign-key$/m)
    assert.doesNotMatch(written, /^ {2}passphrase_file/m)

    const generate = ["keys", "generate", "--dir", dir, "--name", "mm", "--role", "agent"]
    const without = await countersignProcess(generate, "", {
      environment: { CREDENTIALS_DIRECTORY: "" },
    })
    assert.equal(without.code, 1)
    assert.match(without.stderr, /LoadCredentialEncrypted=countersign-key/)

    const environment = { CREDENTIALS_DIRECTORY: place.home }
    const made = await countersignProcess(generate, "", { environment })
    assert.equal(made.code, 0, made.stderr)
    const daemon = await serve(dir, [], { environment })
    await countersignJson(["lock", "--dir", dir])
    await countersignJson(["unlock", "--dir", dir])
    await daemon.stop()
    await place.remove()
  })

  it("is refused a secret that could be guessed", async () => {
    const place = await makeInstallation(["--backend", "memory"])
    const dir = join(place.home, "credential")
    const guessable = join(place.home, "guessable")
    writeFileSync(guessable, "correct horse\n", { mode: 0o600 })
    const ended = await countersign([
      ...["init", "--dir", dir, "--backend", "keystore", "--credential", "countersign-key"],
      ...["--passphrase-file", guessable],
    ])
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /random, of 32 bytes/)
    await place.remove()
  })
})
