import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  makeInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { query } from "../support/read-ledger.ts"
import { quotePolicy, writePolicy } from "../support/trading-keys.ts"

describe("policy diff", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let first: string
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, quotePolicy("1"))
    const daemon = await serve(installation.dir)
    assert.equal(await daemon.stop(), 0)
    const [row] = query(`${installation.dir}/ledger.db`, "SELECT hash FROM sets ORDER BY seq DESC")
    first = String(row?.["hash"])
  })
  after(() => installation.remove())

  const at = (...words: readonly string[]) => [...words, "--dir", installation.dir]

  it("says that the files on disk are those in force, and ends with 0", async () => {
    const { code, stdout } = await countersign(at("policy", "diff"))
    assert.deepEqual([code, stdout], [0, "They are alike.\n"])
  })

  it("shows what allows more first, then the texts, and ends with 1", async () => {
    await writePolicy(installation.dir, quotePolicy("2"))
    const { code, stdout } = await countersign(at("policy", "diff"))
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^WIDENS {2}policies\/\S+ rules\/quote\/max_quantity\n- {2}"1"\n\+ {2}"2"\n\npolicies\/\S+\n@@\n/,
    )
    assert.match(stdout, /^-.*max_quantity: "1".*\n\+.*max_quantity: "2"/m)
  })

  it("shows the texts beside each other", async () => {
    const { stdout } = await countersign(at("policy", "diff", "--side-by-side"))
    assert.match(stdout, /max_quantity: "1".* \| .*max_quantity: "2"/)
  })

  it("compares with a set by its hash, and two sets", async () => {
    const shown = await countersign(at("policy", "diff", "--against", first))
    assert.equal(shown.code, 1)
    const same = await countersign(at("policy", "diff", first, "--against", first))
    assert.deepEqual([same.code, same.stdout], [0, "They are alike.\n"])
    const unknown = await countersign(at("policy", "diff", "--against", "00".repeat(32)))
    assert.match(unknown.stderr, /No files with this hash/)
  })

  it("tells scripts both sets, and what is different", async () => {
    const { stdout, code } = await countersign(at("policy", "diff", "--json"))
    const told = JSON.parse(stdout) as { from: string; to: string; changes: readonly unknown[] }
    assert.deepEqual([code, told.from, told.changes.length], [1, first, 1])
    assert.notEqual(told.to, first)
  })
})
