import assert from "node:assert/strict"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  countersignJson,
  makePassphraseFileInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

type Checked = {
  readonly valid: boolean
  readonly warnings: readonly string[]
  readonly notes: readonly string[]
}

const policyFor = (client: string): string => `policy: trading
applies_to: {clients: [${client}], keys: [mm]}
rules: [{name: all, endpoints: [placeOrder, placeBatch, cancelOrder]}]
`

describe("countersign policy check", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makePassphraseFileInstallation(["--venue", "sandbox"])
    await makeTradingKeys(installation.dir)
    await addClient(installation.dir, "bot")
  })
  after(() => installation.remove())

  const check = (dir: string, ...more: readonly string[]) =>
    countersign(["policy", "check", "--dir", dir, ...more])

  it("takes names that somebody has, asked of the ledger or of the daemon", async () => {
    const { dir } = installation
    await writePolicy(dir, policyFor("bot"))
    const stopped = await check(dir, "--strict")
    assert.deepEqual([stopped.code, stopped.stderr], [0, ""])
    const daemon = await serve(dir)
    try {
      await writePolicy(dir, policyFor("bto"))
      const asked = await check(dir)
      assert.equal(asked.code, 0)
      assert.match(asked.stdout, /warning: applies_to in \S+ names the client bto/)
      assert.equal((await check(dir, "--strict")).code, 1)
    } finally {
      await daemon.stop()
    }
  })

  it("warns of what is hardly meant, and fails for it with --strict alone", async () => {
    const { dir } = installation
    const night = "deny: [{name: night, hours: {zone: UTC, from: '22:00', to: '06:00'}}]\n"
    await writePolicy(dir, policyFor("bot") + night)
    const loose = await check(dir)
    assert.equal(loose.code, 0)
    assert.match(loose.stdout, /^warning: trading\/night \(policies\/trading\.yaml:4\) stops/m)
    const strict = await check(dir, "--strict", "--json")
    assert.equal(strict.code, 1)
    const { valid, warnings } = JSON.parse(strict.stdout) as Checked
    assert.deepEqual([valid, warnings.length], [true, 1])
  })

  it("notes where names can't be checked, which --strict doesn't count", async () => {
    const { dir, home } = installation
    await writePolicy(dir, policyFor("bto"))
    const configDir = join(home, "only-files")
    for (const name of ["countersign.yaml", "venue.yaml", "policies"]) {
      cpSync(join(dir, name), join(configDir, name), { recursive: true })
    }
    const where = ["--config-dir", configDir, "--state-dir", join(home, "nowhere")]
    const { notes, warnings } = await countersignJson<Checked>([
      ...["policy", "check", "--strict"],
      ...where,
    ])
    assert.deepEqual(warnings, [])
    assert.match(notes.join(), /^The names in applies_to weren't checked: there is no .*ledger/)
  })
})
