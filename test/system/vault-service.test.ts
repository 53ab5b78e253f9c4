import assert from "node:assert/strict"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { after, before, describe, it, type TestContext } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import type { AdminResults } from "../../src/link/calls/methods.ts"
import { connectAdminLink, connectBotLink, type AdminLink } from "../../src/contract/client.ts"
import { pathsOf, type Installation } from "../../src/vault/config/installation.ts"
import { countersign } from "../support/countersign.ts"
import { curves } from "../support/curves.ts"
import {
  callOf,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
  testPassphrase,
  writePolicies,
  type TestVault,
} from "../support/open-test-vault.ts"
import { startVaultService, type VaultServiceAsk } from "../support/vault-service.ts"

const standStill = fileURLToPath(new URL("../support/stand-still.ts", import.meta.url))

const brokenPolicy = permissivePolicy.replace("endpoints", "endpionts")

type Line = Readonly<Record<string, string>> & { readonly priority: string }

describe("the vault as a service", { timeout: 240_000 }, () => {
  let test: TestVault
  let token: string
  let installation: Installation
  let passphraseFile: string

  before(async () => {
    test = await openTestVault({ keys: "on_disk" })
    await test.addKey({ name: "mm", role: "agent" })
    token = await test.addClient({ name: "bot", keys: ["mm"] })
    await test.close()
    ;({ installation } = test)
    passphraseFile = join(dirname(installation.stateDir), "passphrase")
    writeFileSync(passphraseFile, testPassphrase, { mode: 0o600 })
  })
  after(() => test.remove())

  const start = (t: TestContext, ask: Partial<VaultServiceAsk> = {}) =>
    startVaultService(t, { installation, passphraseFile, ...ask })

  async function withAdmin<Answer>(use: (admin: AdminLink) => Promise<Answer>): Promise<Answer> {
    const paths = pathsOf(installation)
    const secret = readFileSync(paths.adminSecretFile, "utf8")
    const admin = connectAdminLink(paths.adminSocket, { secret })
    return use(admin).finally(() => admin.close())
  }

  async function sign(botSocket: string, order: unknown): Promise<string> {
    const bots = connectBotLink(botSocket)
    const answer = await bots.call("sign", callOf(token, order)).finally(() => bots.close())
    return answer.kind === "refused" ? (answer.record ?? "") : outcomeOf(answer)
  }

  const signing =
    /^READY=1\nSTATUS=signs what policies allow; 1 key, 1 client, policy [0-9a-f]{12}…$/

  it("serves the sockets that systemd opened, says what it does all along, and leaves them when it stops", async (t) => {
    const botSocket = join(dirname(installation.stateDir), "elsewhere.sock")
    const { adminSocket } = pathsOf(installation)
    t.after(() => [botSocket, adminSocket].forEach((path) => rmSync(path, { force: true })))
    const vault = await start(t, {
      sockets: { bot: botSocket, admin: adminSocket },
      launchOptions: ["--denied=state", `--hidden=${installation.configDir}`],
      watchdogMs: 300,
      args: ["--log-requests"],
    })
    const { notify } = vault
    await notify.until(/READY=1/)
    const told = notify.messages().filter((each) => each !== "WATCHDOG=1")
    assert.deepEqual(told.slice(0, 3), [
      "STATUS=loading policies",
      "STATUS=unlocking keys",
      "STATUS=checking the ledger",
    ])
    assert.match(told[3] ?? "", signing)
    await notify.until(/^WATCHDOG=1$/)

    const status = await withAdmin((admin) => admin.call("status", {}))
    assert.equal(status.started_by, "service")
    const unsafe = "The sandbox doesn't deny reading the vault's files: install the unit as"
    const warned = status.warnings.map(({ message }) => message)
    assert.ok(warned.includes(`${unsafe} countersign-vault.service has it.`))
    assert.equal(status.pid, vault.pid)

    assert.equal(await sign(botSocket, limitOrder()), "signed")
    const refuse = () => sign(botSocket, limitOrder({ price: "-1" }))
    const refused = [await refuse(), await refuse(), await refuse()]
    await freezeAndThaw(notify)
    await reloadBroken(vault)
    await lockAndUnlock(notify)

    const beforeStop = notify.messages().length
    vault.signal("SIGTERM")
    await notify.until(/^STOPPING=1$/, beforeStop)
    assert.equal(await vault.ended, 0)
    assert.ok(existsSync(botSocket) && existsSync(adminSocket))
    assertLogged(vault.journal(), refused)
    assert.equal(curveIn(vault.journal()), curves.at(-1)?.name)
  })

  type Service = Awaited<ReturnType<typeof start>>

  async function freezeAndThaw(notify: Service["notify"]): Promise<void> {
    const all = { scope: "all", name: null } as const
    const from = notify.messages().length
    await withAdmin((admin) => admin.call("freeze", { ...all, reason: "a drill", cancels: true }))
    await notify.until(
      /^STATUS=signs only what reduces risk: Everything is frozen by .*a drill/,
      from,
    )
    await withAdmin(async (admin) => {
      const { freezes } = await admin.call("status", {})
      return admin.call("thaw", { freezes: [...freezes] })
    })
    await notify.until(/^STATUS=signs what policies allow;/, from)
  }

  async function reloadBroken(vault: Service): Promise<void> {
    const { notify } = vault
    await writePolicies(installation, [brokenPolicy])
    const from = notify.messages().length
    vault.signal("SIGHUP")
    await notify.until(/^RELOADING=1\nSTATUS=loading policies$/, from)
    await notify.until(
      /^READY=1\nSTATUS=signs what policies allow; .*; the files on disk were refused: .*0\.yaml:4:5: /,
      from,
    )
    await assert.rejects(
      withAdmin((admin) => admin.call("reload", {})),
      { code: "config_invalid" },
    )
    await writePolicies(installation, [permissivePolicy])
    const fixed = notify.messages().length
    await withAdmin((admin) => admin.call("reload", {}))
    await notify.until(/^RELOADING=1/, fixed)
    await notify.until(signing, fixed)
  }

  async function lockAndUnlock(notify: Service["notify"]): Promise<void> {
    const from = notify.messages().length
    await withAdmin((admin) => admin.call("lock", {}))
    await notify.until(/^STATUS=signs nothing: The keys are locked/, from)
    await withAdmin((admin): Promise<AdminResults["unlock"]> => admin.call("unlock", {}))
    await notify.until(/^STATUS=signs what policies allow;/, from)
  }

  /** Each line with its priority and the ledger's id, one a record. */
  function assertLogged(journal: string, refused: readonly string[]): void {
    const lines = logged(journal)
    const of = (event: string) => lines.filter((line) => line["event"] === event)
    const [frozen] = of("frozen")
    assert.equal(frozen?.priority, "3")
    assert.match(frozen["record"] ?? "", /^rec_/)
    assert.match(of("thawed")[0]?.["record"] ?? "", /^rec_/)
    assert.deepEqual(
      of("refused").map((line) => ({ ...line, time: "" })),
      [...new Set(refused)].map((record) => ({
        ...{ priority: "6", level: "info", event: "refused" },
        ...{ client: "bot", code: "invalid_request", record, time: "" },
      })),
    )
    assert.deepEqual(
      of("recorded").map(({ priority, client, rule }) => [priority, client, rule]),
      [["7", "bot", "permissive/all"]],
    )
    assert.match(of("reload_failed")[0]?.["message"] ?? "", /0\.yaml:4:5: /)
    assert.ok(!journal.includes(token))
    assert.ok(journal.includes("<4>The sandbox doesn't deny opening "))
  }

  it("ends with 78 and says why where starting it again wouldn't help", async (t) => {
    const wrong = join(dirname(installation.stateDir), "wrong")
    writeFileSync(wrong, "another passphrase", { mode: 0o600 })
    const vault = await start(t, { passphraseFile: wrong })
    assert.equal(await vault.ended, 78)
    const [line, ...more] = logged(vault.journal())
    assert.deepEqual(
      [more, line?.priority, line?.["event"], line?.["code"]],
      [[], "3", "start_failed", "passphrase_wrong"],
    )
    // What it told may still be on its way through the receiver's process.
    const told = await vault.notify.until(/^STATUS=The passphrase is wrong: /)
    assert.equal(told, `STATUS=${line?.["message"]}`)
  })

  it("ends with 78 where nobody can be asked for a passphrase", async (t) => {
    const vault = await start(t, { passphraseFile: undefined })
    assert.equal(await vault.ended, 78)
    await vault.notify.until(/^STATUS=A service has nobody to ask for the passphrase: /)
  })

  it("ends with 75 where another one has the ledger", async (t) => {
    const other = await test.reopen()
    t.after(() => other.close())
    const vault = await start(t)
    assert.equal(await vault.ended, 75)
    await vault.notify.until(/^STATUS=Another Countersign runs on /)
    assert.equal(logged(vault.journal())[0]?.["code"], "already_running")
  })

  it("signs in JavaScript where no addon can be loaded, and says so", async (t) => {
    const vault = await start(t, { nodeFlags: ["--no-addons"] })
    await vault.notify.until(/READY=1/)
    assert.equal(await sign(pathsOf(installation).botSocket, limitOrder()), "signed")
    const { warnings } = await withAdmin((admin) => admin.call("status", {}))
    const messages = warnings.map(({ message }) => message)
    const [warning, ...more] = messages.filter((each) => each.includes("libsecp256k1"))
    assert.match(warning ?? "", /^Signatures are made in JavaScript, .* not in constant time/)
    assert.deepEqual(more, [])
    const place = ["--config-dir", installation.configDir, "--state-dir", installation.stateDir]
    const locked = await countersign(["lock", ...place])
    assert.match(locked.stdout, /^Locked: .* copies of them may still be in its memory, .* stop it/)
    assert.equal(curveIn(vault.journal()), "noble")
    const lines = logged(vault.journal())
    assert.ok(lines.some((line) => line.priority === "4" && line["message"] === warning))
  })

  it("is alive no more once its event loop stands still, and makes sockets that nobody opened", async (t) => {
    const vault = await start(t, { watchdogMs: 100, nodeFlags: ["--import", standStill] })
    await vault.notify.until(/^WATCHDOG=1$/)
    assert.equal(await sign(pathsOf(installation).botSocket, limitOrder()), "signed")
    vault.signal("SIGUSR2")
    await vault.notify.until(/^STATUS=standing still$/)
    await sleep(1_000)
    assert.equal(vault.notify.messages().at(-1), "STATUS=standing still")
  })

  it("is alive no more once its ledger can't be written, whatever its event loop does", async (t) => {
    const flag = join(installation.stateDir, "stand-still")
    const vault = await start(t, {
      watchdogMs: 100,
      nodeFlags: ["--import", standStill],
      environment: { STAND_STILL_FILE: flag },
    })
    await vault.notify.until(/^WATCHDOG=1$/)
    writeFileSync(flag, "")
    t.after(() => rmSync(flag))
    await vault.notify.until(/^STATUS=the ledger stands still$/)
    await writePolicies(installation, [brokenPolicy])
    const from = vault.notify.messages().length
    vault.signal("SIGHUP")
    const told = await vault.notify.until(/^READY=1\nSTATUS=.*were refused/, from)
    await writePolicies(installation, [permissivePolicy])
    await sleep(1_000)
    const messages = vault.notify.messages()
    assert.ok(!messages.slice(messages.lastIndexOf(told)).includes("WATCHDOG=1"))
  })
})

/** The lines that the vault itself wrote, with what journald takes for their priority. */
/** What the vault says that it signs with. */
function curveIn(journal: string): string | undefined {
  return logged(journal).find((line) => line["event"] === "ready")?.["curve"]
}

function logged(journal: string): readonly Line[] {
  return [...journal.matchAll(/^<(\d)>(\{.*\})$/gm)].map(([, priority = "", json = ""]) => {
    const read = JSON.parse(json) as Record<string, string>
    return { ...read, priority }
  })
}
