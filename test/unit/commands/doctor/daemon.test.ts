import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import {
  daemonFindings,
  lookAtDaemon,
  type DaemonLook,
  type PortLook,
  signingFindings,
} from "../../../../src/commands/doctor/daemon-findings.ts"
import { fail, ok, warn } from "../../../../src/commands/doctor/finding.ts"
import { keyFinding } from "../../../../src/commands/doctor/key-findings.ts"
import { lookAtLedger } from "../../../../src/commands/doctor/ledger-findings.ts"
import { loadConfig } from "../../../../src/commands/installation/admin.ts"
import { systemInstallation } from "../../../../src/commands/service/system.ts"
import type { Reason } from "../../../../src/contract/signing.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { loadFiles } from "../../../../src/vault/config/load-files.ts"
import { makeTestInstallation, openTestVault } from "../../../support/open-test-vault.ts"
import { statusView } from "../../../support/status-view.ts"

const installation = { configDir: "/d", stateDir: "/d" }
const port: PortLook = { host: "127.0.0.1", port: 8420, isAnswered: true }
const silent: PortLook = { ...port, isAnswered: false }
const stopped: DaemonLook = { kind: "stopped" }
const running: Extract<DaemonLook, { readonly kind: "running" }> = {
  kind: "running",
  status: {
    ...statusView,
    records: 7,
    warnings: [{ message: "Look here.", fix: "countersign policy check" }],
  },
}

describe("doctor on the daemon", () => {
  const cases: readonly (readonly [string, DaemonLook, PortLook | undefined, readonly string[]])[] =
    [
      ["runs", running, port, ["ok"]],
      ["runs on a port that isn't fixed", running, undefined, ["ok"]],
      ["runs without its gate", running, silent, ["ok", "warn"]],
      ["is stopped", stopped, silent, ["warn"]],
      ["is stopped, and its port taken", stopped, port, ["warn", "fail"]],
      [
        "refuses to talk",
        { kind: "refused", error: new Fault("admin_refused", "No.") },
        port,
        ["fail", "fail"],
      ],
    ]
  for (const [what, daemon, at, states] of cases) {
    it(`finds ${states.join(" and ")} where it ${what}`, () => {
      const found = daemonFindings(daemon, at, installation)
      assert.deepEqual(
        found.map(({ state }) => state),
        states,
      )
    })
  }

  it("says what keeps gate and vault apart", () => {
    const said = (startedBy: "serve" | "service" | null) => {
      const status = { ...running.status, started_by: startedBy }
      return daemonFindings({ kind: "running", status }, port, installation)[0]?.message
    }
    assert.match(said("serve") ?? "", /one user .*not against that user\.$/)
    assert.match(said("service") ?? "", /a service with a user of its own: a boundary/)
    assert.equal(said(null), "It runs (pid 4711).")
  })

  it("says how to start it, with the directories that it was asked about", () => {
    const apart = { configDir: "/etc/c s", stateDir: "/var/s" }
    const [start] = daemonFindings(stopped, undefined, apart)
    assert.equal(start?.fix, "countersign serve --config-dir '/etc/c s' --state-dir /var/s")
    const [service] = daemonFindings(stopped, undefined, systemInstallation)
    assert.equal(service?.fix, "systemctl start countersign.target")
  })

  for (const [bytes, states] of [
    [96, ["warn"]],
    [97, ["warn", "fail"]],
  ] as const) {
    it(`finds ${states.join(" and ")} with a state directory of ${bytes} bytes`, () => {
      const stateDir = `/${"s".repeat(bytes - 1)}`
      const found = daemonFindings(stopped, undefined, { configDir: "/d", stateDir })
      assert.deepEqual(
        found.map(({ state }) => state),
        states,
      )
    })
  }

  it("takes an installation that isn't there for one without a daemon", async () => {
    assert.deepEqual(await lookAtDaemon({ configDir: "/none", stateDir: "/none" }), stopped)
  })
})

describe("doctor on what is signed", () => {
  const locked: Reason = {
    ...{ code: "locked", scope: "all", name: null, signs: "nothing", note: null },
    ...{ message: "The keys are locked.", fix: "countersign unlock" },
  }
  const found = (reasons: readonly Reason[]) => {
    const state = { ...statusView.state, reasons }
    return signingFindings({ kind: "running", status: { ...statusView, state } }, installation)
  }

  it("is ok where no reason keeps the daemon from it, and silent where none runs", () => {
    assert.deepEqual(found([]), [ok("signing", "It signs what policies allow.")])
    assert.deepEqual(signingFindings(stopped, installation), [])
  })

  it("fails with what stops all of it, and warns of the rest, in the vault's own words", () => {
    const frozen: Reason = {
      ...{ ...locked, code: "frozen", scope: "client", name: "bot", note: "a drill" },
      ...{ message: "The client bot is frozen.", fix: "countersign thaw --client bot" },
    }
    assert.deepEqual(found([locked, frozen]), [
      fail("signing", "The keys are locked.", "countersign unlock --dir /d"),
      warn(
        "signing",
        "The client bot is frozen: a drill",
        "countersign thaw --client bot --dir /d",
      ),
    ])
  })

  it("names the installation only behind a command of ours", () => {
    const low: Reason = { ...locked, signs: "reduce_only", fix: "make room on the disk" }
    assert.equal(found([low])[0]?.fix, "make room on the disk")
    const clock = { ...locked, fix: "set the clock right, or if it is: countersign clock accept" }
    assert.equal(found([clock])[0]?.fix, `${clock.fix} --dir /d`)
  })
})

describe("doctor on the ledger", () => {
  it("asks a daemon that runs, and passes its warnings on", async () => {
    const { finding, warnings } = await lookAtLedger(installation, running, undefined)
    assert.deepEqual([finding.state, warnings], ["ok", running.status.warnings])
    assert.match(finding.message, /7 records/)
  })

  it("makes none where there is none", async (t) => {
    const made = await makeTestInstallation()
    t.after(() => made.remove())
    const files = await loadFiles(made.installation)
    assert.equal((await lookAtLedger(made.installation, stopped, files)).finding.state, "ok")
    assert.match(
      (await lookAtLedger(made.installation, stopped, files)).finding.message,
      /none yet/,
    )
  })

  it("opens that of a stopped daemon, and warns of its keys", async (t) => {
    const test = await openTestVault({ keys: "on_disk" })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const files = await loadFiles(test.installation)
    const held = await lookAtLedger(test.installation, stopped, files)
    assert.equal(held.finding.state, "fail") // the vault has its lock
    assert.match(held.finding.fix, /^stop what uses/)
    await test.close()
    const { finding, warnings } = await lookAtLedger(test.installation, stopped, files)
    assert.equal(finding.state, "ok")
    assert.match(finding.message, /\d records/)
    assert.ok(warnings.some(({ message }) => message.includes("agent key mm")))
  })

  it("fails with one that is something else", async (t) => {
    const made = await makeTestInstallation()
    t.after(() => made.remove())
    const { ledgerFile } = pathsOf(made.installation)
    writeFileSync(ledgerFile, "something else, and long enough to be looked at", { mode: 0o600 })
    const { finding } = await lookAtLedger(made.installation, stopped, undefined)
    assert.equal(finding.state, "fail")
    assert.match(finding.fix, /back-up/)
  })
})

describe("doctor on the keys", () => {
  const opened = async (passphrase: string, mode = 0o600) => {
    const made = await makeTestInstallation({ keys: "on_disk" })
    const file = join(made.installation.stateDir, "passphrase")
    writeFileSync(file, passphrase, { mode })
    const config = await loadConfig(made.installation)
    const keystore = { ...config.keystore, passphraseFile: file }
    const finding = await keyFinding({ ...config, keystore }, made.installation, stopped)
    await made.remove()
    return finding
  }

  it("opens the keystore where a file has its passphrase", async () => {
    const { state, message } = await opened("a passphrase of a test\n")
    assert.deepEqual([state, message], ["ok", "The keystore opens, and holds 0 keys."])
  })

  it("fails with another passphrase, and with one that others can read, and tells neither", async () => {
    for (const found of [await opened("hunter2"), await opened("a passphrase of a test", 0o644)]) {
      assert.equal(found.state, "fail")
      assert.doesNotMatch(JSON.stringify(found), /hunter2|a passphrase of a test/)
    }
  })

  it("tries nothing where the passphrase is asked for, or comes from systemd to the unit alone", async (t) => {
    const made = await makeTestInstallation({ keys: "on_disk" })
    t.after(() => made.remove())
    const config = await loadConfig(made.installation)
    const asked = await keyFinding(config, made.installation, stopped)
    assert.match(asked.message, /typed at each start, so opening wasn't tried/)
    const keystore = { ...config.keystore, credential: "cs" }
    const given = await keyFinding({ ...config, keystore }, made.installation, stopped)
    assert.match(
      given.message,
      /systemd credential cs opens the keystore\. .* opening wasn't tried/,
    )
    assert.deepEqual([asked.state, given.state], ["ok", "ok"])
  })

  it("warns of keys in memory, and asks a daemon that runs", async (t) => {
    const made = await makeTestInstallation()
    t.after(() => made.remove())
    const config = await loadConfig(made.installation)
    assert.equal((await keyFinding(config, made.installation, running)).state, "warn")
    const keystore = { ...config.keystore, backend: "keystore" } as const
    const asked = await keyFinding({ ...config, keystore }, made.installation, running)
    assert.deepEqual(
      [asked.state, asked.message],
      ["ok", "The daemon has its keys from the keystore: 0."],
    )
  })
})
