import assert from "node:assert/strict"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { StatusView } from "../../src/contract/views.ts"
import {
  countersign,
  makeInstallation,
  serve,
  type Served,
  statusJson,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { makeTradingKeys, quotePolicy, writePolicy } from "../support/trading-keys.ts"

const endless = 'limits: [{name: ever, count: requests, window: ever, max: "9"}]\n'

describe("policy reload --dry-run", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await writePolicy(installation.dir, quotePolicy("1"))
    daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir) // of which an agent that nobody approved is a warning
  })
  after(async () => {
    await daemon.stop()
    await installation.remove()
  })

  const at = (...words: readonly string[]) => [...words, "--dir", installation.dir]
  const dryRun = (...more: readonly string[]) =>
    countersign(at("policy", "reload", "--dry-run", ...more))
  const inForce = async () => (await statusJson<StatusView>(at())).policy_hash

  /** What a dry run and then a reload say, with one line more in countersign.yaml. */
  async function withSetting(line: string) {
    const file = join(installation.dir, "countersign.yaml")
    const text = readFileSync(file, "utf8")
    appendFileSync(file, line)
    const said = { dry: await dryRun(), wet: await countersign(at("policy", "reload")) }
    writeFileSync(file, text)
    return said
  }

  it("says that nothing would change", async () => {
    const { code, stdout } = await dryRun()
    assert.equal(code, 0)
    assert.match(stdout, /^What they say is what is in force\.\n\nA reload would take the files/)
  })

  it("shows what widens first, and the warnings that a reload gives; nothing is put in force", async () => {
    const before = await inForce()
    await writePolicy(installation.dir, quotePolicy("2"))
    const { code, stdout } = await dryRun()
    assert.equal(code, 0)
    assert.match(stdout, /^WIDENS {2}policies\/\S+ rules\/quote\/max_quantity\n- {2}"1"\n\+ {2}"2"/)
    assert.equal(await inForce(), before)

    const foreseen = JSON.parse((await dryRun("--json")).stdout) as Foretold
    const reloaded = await countersign(at("policy", "reload", "--json"))
    const taken = JSON.parse(reloaded.stdout) as Foretold
    assert.deepEqual(
      [foreseen.policy_hash, foreseen.warnings, foreseen.refusal],
      [taken.policy_hash, taken.warnings, null],
    )
    assert.ok(taken.warnings.length > 0)
  })

  it("names a limit that would begin to count anew", async () => {
    await writePolicy(installation.dir, quotePolicy("2") + endless)
    const { stdout } = await dryRun()
    assert.match(stdout, /limits\/ever\n\+ {2}counts from 0, unless it was in force before/)
    await writePolicy(installation.dir, quotePolicy("2"))
  })

  it("ends as the reload does, with its sentence, where a setting needs a restart", async () => {
    const { dry, wet } = await withSetting("listen: {port: 1}\n")
    assert.deepEqual([dry.code, wet.code], [2, 2])
    const [, sentence = ""] = /^countersign: (.*)$/m.exec(wet.stderr) ?? []
    assert.ok(dry.stdout.includes(`A reload would be refused: ${sentence}`), dry.stdout)
    assert.match(dry.stdout, /^WIDENS {2}countersign\.yaml listen$/m)
  })

  it("ends as the reload does where a person has to accept the files", async () => {
    const { dry, wet } = await withSetting("attest: required\n")
    assert.deepEqual([dry.code, wet.code], [3, 3])
    assert.match(dry.stdout, /^A reload would be refused: .*countersign policy accept/m)
  })

  it("ends as the reload does where files are broken", async () => {
    const { dry, wet } = await withSetting("nonsense: 1\n")
    assert.deepEqual([dry.code, dry.stderr], [1, wet.stderr])
    assert.match(dry.stderr, /countersign\.yaml:\d+:1: unknown key "nonsense"/)
  })

  it("takes the files only if they have the hash that --hash says", async () => {
    assert.equal((await dryRun("--hash", await inForce())).code, 0)
    assert.equal((await dryRun("--hash", "00".repeat(32))).code, 2)
  })

  it("says where no daemon runs what its next start would take", async (t) => {
    const other = await makeInstallation()
    t.after(() => other.remove())
    await writePolicy(other.dir, quotePolicy("1"))
    appendFileSync(join(other.dir, "countersign.yaml"), "attest: required\n")
    const { code, stdout } = await countersign([
      "policy",
      "reload",
      "--dry-run",
      "--dir",
      other.dir,
    ])
    assert.equal(code, 0)
    assert.match(stdout, /^WIDENS {2}policies\/trading\.yaml rules\/quote$/m)
    assert.match(stdout, /^The next start would take the files on disk: [0-9a-f]{64}$/m)
    assert.match(stdout, /^warning: The files have changed, and a person has to accept them/m)
  })
})

type Foretold = {
  readonly policy_hash: string
  readonly warnings: readonly string[]
  readonly refusal?: object | null
}
