import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  alarmLines,
  backupLines,
  clockLines,
  daemonLines,
  versionLines,
  unitLines,
} from "../../../../../src/commands/doctor/live/machine-lines.ts"
import type { LiveLine } from "../../../../../src/commands/doctor/finding.ts"
import { systemInstallation, type Ran } from "../../../../../src/commands/service/system.ts"
import type { TargetStand } from "../../../../../src/gate/notify/teller.ts"
import { alarm } from "../../../../../src/contract/alarms.ts"
import type { Reason } from "../../../../../src/contract/signing.ts"
import { version } from "../../../../../src/std/version.ts"
import { adminOf, entriesOf } from "../../../../support/admin-of.ts"
import { fakeSystem } from "../../../../support/fake-system.ts"
import { openTestVault } from "../../../../support/open-test-vault.ts"
import { statusView } from "../../../../support/status-view.ts"

const states = (lines: readonly LiveLine[]) => lines.map(({ state }) => state)
const dayMs = 86_400_000

describe("doctor --live on the units", () => {
  const analyze = (unit: string, tenths: number) =>
    `systemd-analyze security --no-pager --threshold=${tenths} countersign-${unit}.service`
  const [vault, gate] = [analyze("vault", 3), analyze("gate", 12)]
  const told = (figure: string, code = 0): Partial<Ran> => ({
    code,
    stdout: `→ Overall exposure level for countersign.service: ${figure} SAFE\n`,
  })
  const look = (answers: Readonly<Record<string, Partial<Ran>>>, hasRelay = false) => {
    const system = fakeSystem(answers)
    if (hasRelay) system.put("/etc/countersign-relay/relay.yaml", "")
    const lines = unitLines(system, systemInstallation)
    system.remove()
    return lines
  }

  it("is ok where systemd finds both within what this version promises", () => {
    assert.deepEqual(states(look({ [vault]: told("0.2"), [gate]: told("1.1") })), ["ok"])
  })

  it("misses the one that is over it", () => {
    const lines = look({ [vault]: told("0.2"), [gate]: told("9.2", 1) })
    assert.deepEqual(states(lines), ["missing"])
    assert.match(lines[0]?.message ?? "", /gate\.service is exposed by 9\.2, over 1\.2/)
  })

  it("looks at the relay where there is one", () => {
    const both = { [vault]: told("0.2"), [gate]: told("1.1") }
    const relay = analyze("relay", 12)
    assert.deepEqual(states(look({ ...both, [relay]: told("1.1") }, true)), ["ok"])
    const [line] = look({ ...both, [relay]: told("9.2", 1) }, true)
    assert.match(line?.message ?? "", /relay\.service is exposed by 9\.2, over 1\.2/)
  })

  it("misses units that aren't there", () => {
    const none = { code: 1, stderr: "Unit countersign-vault.service not found.\n" }
    assert.deepEqual(states(look({ [vault]: none, [gate]: none })), ["missing", "missing"])
  })

  it("knows nothing where systemd says nothing, or can't be asked", () => {
    assert.deepEqual(states(look({})), ["unknown", "unknown"])
    const broken = { root: "", run: () => assert.fail("no such program") }
    assert.deepEqual(states(unitLines(broken, systemInstallation)), ["unknown", "unknown"])
  })

  it("misses them for an installation of countersign serve, without asking", () => {
    const broken = { root: "", run: () => assert.fail("it asked") }
    const [line] = unitLines(broken, { configDir: "/d", stateDir: "/d" })
    assert.deepEqual([line?.state, line?.fix], ["missing", "countersign install-service"])
  })
})

describe("doctor --live on the daemon", () => {
  const reason: Reason = {
    ...{ code: "locked", scope: "all", name: null, signs: "nothing", note: null },
    ...{ message: "The keys are locked.", fix: "countersign unlock" },
  }
  const withState = (changes: Partial<typeof statusView.state>) => ({
    ...statusView,
    state: { ...statusView.state, ...changes },
  })

  it("is ok where all that policies allow is signed, whatever a symbol or key lacks", () => {
    const narrow = withState({ reasons: [{ ...reason, scope: "key", name: "mm" }] })
    assert.deepEqual(states(daemonLines(narrow)), ["ok"])
  })

  it("misses what keeps all of it back, with the vault's own fix", () => {
    const [line] = daemonLines(withState({ signs: "nothing", reasons: [reason] }))
    assert.deepEqual([line?.state, line?.fix], ["missing", "countersign unlock"])
  })

  const at = { host: "::1", port: 8420, restart: "restart" }
  const told = (vault: string, gate: string | undefined) =>
    versionLines({ version: vault }, at, () => Promise.resolve(gate))

  it("is ok with one version of vault, gate and program", async () => {
    assert.deepEqual(states(await told(version, version)), ["ok"])
  })

  it("misses a restart after an upgrade of either, and doesn't know of a gate that is silent", async () => {
    assert.deepEqual(states(await told("0.0.1", version)), ["missing"])
    assert.deepEqual(states(await told(version, "0.0.1")), ["missing"])
    assert.deepEqual(states(await told(version, undefined)), ["unknown"])
  })
})

describe("doctor --live on the clock", () => {
  const { state } = statusView
  const calm = { state, alarms: [] }

  it("is ok where a time server sets it, misses one, and says where that isn't known", () => {
    assert.deepEqual(states(clockLines(calm, true)), ["ok"])
    assert.deepEqual(states(clockLines(calm, false)), ["missing"])
    assert.deepEqual(states(clockLines(calm, undefined)), ["unknown"])
  })

  it("believes no time server against the vault, or against the venue", () => {
    const doubt: Reason = {
      ...{ code: "clock_unsafe", scope: "all", name: null, signs: "reduce_only", note: null },
      ...{ message: "The clock leapt.", fix: "countersign clock accept" },
    }
    assert.deepEqual(states(clockLines({ ...calm, state: { ...state, reasons: [doubt] } }, true)), [
      "missing",
    ])
    const off = alarm("clock_off", { subject: "", fact: "The clocks differ", advice: "set it" })
    assert.deepEqual(states(clockLines({ ...calm, alarms: [off] }, true)), ["missing"])
  })
})

describe("doctor --live on the back-up", () => {
  it("is ok for a day after one was recorded, and misses it from then on", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const { readLedger } = adminOf(test)
    const before = await backupLines(readLedger, test.vault.now())
    assert.deepEqual(states(before), ["missing"])
    await test.admin.recordBackup({ head_seq: 0, head_hash: "0".repeat(64) })
    const atMs = (await entriesOf(test, { kind: "act" })).at(-1)?.at_ms ?? 0
    assert.deepEqual(states(await backupLines(readLedger, atMs)), ["ok"])
    assert.deepEqual(states(await backupLines(readLedger, atMs + dayMs)), ["ok"])
    assert.deepEqual(states(await backupLines(readLedger, atMs + dayMs + 1)), ["missing"])
  })
})

describe("doctor --live on alarms", () => {
  const stand = (name: string, failing: string | null): TargetStand => ({
    ...{ name, failing, takenAt: null, test: 1 },
  })

  it("misses a target", async () => {
    const nobody = () => assert.fail("nothing is to be sent")
    assert.deepEqual(states(await alarmLines([], nobody)), ["missing"])
  })

  it("has each target sent a message, and is ok only where it was taken", async () => {
    const asked: unknown[] = []
    const lines = await alarmLines([{ name: "desk" }, { name: "phone" }], (names) => {
      asked.push(names)
      return Promise.resolve([stand("desk", null), stand("phone", "It answered HTTP 404.")])
    })
    assert.deepEqual(asked, [["desk", "phone"]])
    assert.deepEqual(states(lines), ["ok", "missing"])
    assert.match(lines[1]?.message ?? "", /^phone took no message: It answered HTTP 404/)
  })
})
