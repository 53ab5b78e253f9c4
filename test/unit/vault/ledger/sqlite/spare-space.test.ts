import assert from "node:assert/strict"
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import {
  giveUpSpare,
  makeSpare,
  spareBytes,
  spareBytesFor,
  spareFileOf,
} from "../../../../../src/vault/ledger/sqlite/spare-space.ts"

describe("the ledger's spare", () => {
  let directory: string
  let ledgerFile: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "cs-spare-"))
    ledgerFile = join(directory, "ledger.db")
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  for (const [minFreeMiB, spareMiB] of [
    [0, 0],
    [2, 1],
    [62, 31],
    [64, 32],
    [256, 32],
  ] as const) {
    it(`has ${spareMiB} MiB where ${minFreeMiB} MiB shall be free`, () => {
      assert.equal(spareBytesFor(minFreeMiB * 1_048_576), spareMiB * 1_048_576)
    })
  }

  it("takes room that is really taken, for its owner alone, and leaves nothing else behind", async () => {
    const bytes = 1_048_576 + 1
    writeFileSync(`${spareFileOf(ledgerFile)}.new`, "left by a crash")
    await makeSpare(ledgerFile, bytes)
    const file = spareFileOf(ledgerFile)
    const { size, blocks, mode } = statSync(file)
    assert.equal(size, bytes)
    assert.ok(blocks * 512 >= bytes)
    assert.equal(mode & 0o777, 0o600)
    assert.ok(new Set(readFileSync(file)).size > 200)
    assert.deepEqual(readdirSync(directory), ["ledger.spare"])
    assert.equal(await spareBytes(ledgerFile), bytes)
  })

  it("is made anew in another size, or removed", async () => {
    await makeSpare(ledgerFile, 2_000)
    await makeSpare(ledgerFile, 1_000)
    assert.equal(await spareBytes(ledgerFile), 1_000)
    await makeSpare(ledgerFile, 0)
    await makeSpare(ledgerFile, 0)
    assert.equal(existsSync(spareFileOf(ledgerFile)), false)
  })

  it("is given up once", async () => {
    await makeSpare(ledgerFile, 1_000)
    assert.equal(giveUpSpare(ledgerFile), true)
    assert.equal(giveUpSpare(ledgerFile), false)
    assert.equal(await spareBytes(ledgerFile), 0)
  })

  it("is given up with what a crash left of the making of another", () => {
    const begun = `${spareFileOf(ledgerFile)}.new`
    writeFileSync(begun, "half")
    assert.equal(giveUpSpare(ledgerFile), true)
    assert.equal(existsSync(begun), false)
  })
})
