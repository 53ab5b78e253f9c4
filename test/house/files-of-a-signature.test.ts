import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { filesOfASignature } from "./files-of-a-signature.ts"

const maxFiles = 55

describe("one signature of a steady daemon", () => {
  it(`passes at most ${maxFiles} files`, { timeout: 60_000 }, async () => {
    const files = await filesOfASignature()
    // Were coverage not taken, none would be found.
    for (const file of ["gate/app.ts", "vault/request/sign-request.ts"])
      assert.ok(files.includes(file))
    assert.ok(files.length <= maxFiles, `${files.length}:\n${files.join("\n")}`)
  })
})
