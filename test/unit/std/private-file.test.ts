import assert from "node:assert/strict"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"

import { isThere } from "../../../src/std/private-file.ts"

describe("whether something is at a path", () => {
  const dir = mkdtempSync(join(tmpdir(), "cs-there-"))
  const file = join(dir, "file")
  writeFileSync(file, "")
  after(() => rmSync(dir, { recursive: true }))

  it("is said of what is there, and of what isn't", () => {
    assert.equal(isThere(dir), true)
    assert.equal(isThere(file), true)
    assert.equal(isThere(join(dir, "none")), false)
    assert.equal(isThere(join(file, "none")), false)
  })

  it("isn't said of what can't be looked at", () => {
    const loop = join(dir, "loop")
    symlinkSync(loop, loop)
    assert.throws(() => isThere(join(loop, "ledger.db")), { name: "Fault" })
  })
})
