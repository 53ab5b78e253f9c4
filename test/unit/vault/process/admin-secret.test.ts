import assert from "node:assert/strict"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { makeAdminSecret } from "../../../../src/vault/serve-sockets.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"

function place(t: TestContext): string {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  return directory.path
}

describe("the admin secret", () => {
  it("is 256 bits for its owner alone, new each time, and the file holds the last", async (t) => {
    const file = join(place(t), "admin.secret")
    const first = await makeAdminSecret(file)
    const second = await makeAdminSecret(file)
    assert.equal(Buffer.from(second, "base64url").length, 32)
    assert.notEqual(first, second)
    assert.equal(readFileSync(file, "utf8"), second)
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  it("is made over what a crash of a process with the same number left", async (t) => {
    const directory = place(t)
    writeFileSync(join(directory, `admin.secret.${process.pid}`), "")
    await makeAdminSecret(join(directory, "admin.secret"))
    assert.ok(readdirSync(directory).includes("admin.secret"))
  })
})
