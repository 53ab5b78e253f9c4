import assert from "node:assert/strict"
import { chmodSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { readAdminSecret } from "../../../../src/commands/installation/read-admin-secret.ts"
import { makeAdminSecret } from "../../../../src/vault/process/admin-secret.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"

function place(t: TestContext): string {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  return directory.path
}

describe("the admin secret that a command reads", () => {
  it("is the one that the daemon made last", async (t) => {
    const file = join(place(t), "admin.secret")
    await makeAdminSecret(file)
    const last = await makeAdminSecret(file)
    assert.equal(await readAdminSecret(file), last)
  })

  it("is nothing where no daemon ran", async (t) => {
    assert.equal(await readAdminSecret(join(place(t), "admin.secret")), undefined)
  })

  it("isn't read where others could have put it: they would be told private keys", async (t) => {
    const directory = place(t)
    const file = join(directory, "admin.secret")
    await makeAdminSecret(file)
    chmodSync(directory, 0o777)
    await assert.rejects(readAdminSecret(file), { code: "file_unsafe" })
    chmodSync(directory, 0o700)
    chmodSync(file, 0o644)
    await assert.rejects(readAdminSecret(file), { code: "file_unsafe" })
    const link = join(directory, "link")
    symlinkSync("/etc/hostname", link)
    await assert.rejects(readAdminSecret(link), { code: "file_unsafe" })
  })
})
