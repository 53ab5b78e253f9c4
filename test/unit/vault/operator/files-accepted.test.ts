import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { afterEach, beforeEach, describe, it } from "node:test"

import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import {
  acceptPolicy,
  rollback,
  runAccepted,
} from "../../../../src/vault/operator/files-in-force.ts"
import { candidate, setBefore } from "../../../../src/audit/past-files.ts"
import { loadFiles } from "../../../../src/vault/config/load-files.ts"
import { adminOf } from "../../../support/admin-of.ts"
import { openTestVault, writePolicies, type TestVault } from "../../../support/open-test-vault.ts"

const cancels = "policy: p\nrules:\n  - {name: get-out, endpoints: [cancelAll]}\n"
const orders = `${cancels}  - {name: quote, endpoints: [placeOrder]}\n`

describe("files that wait for a person", () => {
  let test: TestVault
  beforeEach(async () => {
    const settings = "attest: required\n"
    test = await openTestVault({ policies: [cancels], settings, keys: "on_disk" })
  })
  afterEach(() => test.remove())

  const ruleCount = (): number => test.vault.active().policies.flatMap(({ rules }) => rules).length

  /** As `policy accept` shows it. */
  async function shownNow() {
    const files = await loadFiles(test.installation)
    return adminOf(test).readLedger((ledger) => candidate(ledger, files))
  }

  /** As `policy rollback` shows it. */
  function shownBefore() {
    const { policyHash } = test.vault.active()
    return adminOf(test).readLedger((ledger) => setBefore(ledger, policyHash))
  }

  async function accept(): Promise<void> {
    const { hash } = await shownNow()
    await acceptPolicy({ hash }, test.vault)
  }

  it("don't run at the start before anyone has accepted any", async () => {
    await assert.rejects(runAccepted(test.vault), { code: "not_accepted" })
    await accept()
    await runAccepted(test.vault)
    assert.equal(test.vault.differ(), undefined)
  })

  it("aren't reloaded until they are accepted, and then are in force at once", async () => {
    await accept()
    await writePolicies(test.installation, [orders])
    await assert.rejects(reload(test.vault), { code: "not_accepted" })
    assert.equal(ruleCount(), 1)
    await accept()
    assert.equal(ruleCount(), 2)
    await reload(test.vault)
  })

  it("are shown against those that were accepted, with what widens", async () => {
    await accept()
    await writePolicies(test.installation, [orders])
    const shown = await shownNow()
    assert.equal(shown.accepted, false)
    assert.deepEqual(
      shown.changes.map(({ file, where, widens }) => ({ file, where, widens })),
      [{ file: "policies/0.yaml", where: "rules/quote", widens: true }],
    )
  })

  it("aren't accepted when they changed after they were shown", async () => {
    const { hash } = await shownNow()
    await writePolicies(test.installation, [orders])
    await assert.rejects(acceptPolicy({ hash }, test.vault), { code: "usage" })
    assert.equal(test.vault.active().acceptedHash, undefined)
  })

  it("give way at the next start to those that were accepted, with an alarm", async () => {
    await accept()
    await writePolicies(test.installation, [orders])
    test = await test.reopen()
    await runAccepted(test.vault)
    assert.equal(ruleCount(), 1)
    assert.match(test.vault.differ()?.message ?? "", /has to accept them/)
  })

  it("can't lift the need to be accepted themselves", async () => {
    await accept()
    const { configFile } = pathsOf(test.installation)
    const { texts } = test.vault.active()
    const config = texts.find(({ name }) => name === "countersign.yaml")?.text ?? ""
    await writeFile(configFile, config.replace("attest: required", "attest: off"), { mode: 0o600 })
    await assert.rejects(reload(test.vault), { code: "not_accepted" })
    test = await test.reopen()
    await runAccepted(test.vault)
    assert.equal(test.vault.active().config.attestRequired, true)
  })

  it("go back to the set before by rollback, which stays accepted over a start", async () => {
    await accept()
    await writePolicies(test.installation, [orders])
    await accept()
    assert.equal(ruleCount(), 2)
    const { hash, changes } = await shownBefore()
    assert.deepEqual(
      changes.map(({ file, widens }) => ({ file, widens })),
      [{ file: "policies/0.yaml", widens: false }],
    )
    await rollback({ hash }, test.vault)
    assert.equal(ruleCount(), 1)
    assert.match(test.vault.differ()?.message ?? "", /aren't in force: policies\/0\.yaml/)
    test = await test.reopen()
    await runAccepted(test.vault)
    assert.equal(ruleCount(), 1)
  })

  it("aren't taken by a reload of a hash where they are others than were looked at", async () => {
    await accept()
    const { hash } = await shownNow()
    await writePolicies(test.installation, [orders])
    await assert.rejects(reload(test.vault, hash), { code: "usage", message: /changed since/ })
    await test.vault.act({ act: "set_accepted", hash: (await shownNow()).hash })
    await reload(test.vault, (await shownNow()).hash)
    assert.equal(ruleCount(), 2)
  })

  it("have nothing to go back to when there was one set only", async () => {
    await accept()
    await assert.rejects(shownBefore(), { code: "name_unknown" })
    await assert.rejects(rollback({ hash: "0".repeat(64) }, test.vault), { code: "name_unknown" })
  })
})
