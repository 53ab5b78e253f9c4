import assert from "node:assert/strict"
import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { makeAdminSecret, readAdminSecret } from "../../../src/vault/admin-secret.ts"
import { temporaryDirectory } from "../../support/link-peer.ts"

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
    assert.equal(await readAdminSecret(file), second)
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  it("is made over what a crash of a process with the same number left", async (t) => {
    const directory = place(t)
    writeFileSync(join(directory, `admin.secret.${process.pid}`), "")
    await makeAdminSecret(join(directory, "admin.secret"))
    assert.ok(readdirSync(directory).includes("admin.secret"))
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
