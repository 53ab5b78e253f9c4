import assert from "node:assert/strict"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import { makeSystemInstallation } from "../../../../src/commands/service/make-system-installation.ts"
import { fakeSystem, type FakeSystem } from "../../../support/fake-system.ts"

const wishes = { withKey: "host", copyTo: undefined } as const
const encrypt = "systemd-creds encrypt --name=countersign-key --with-key=host - -"

describe("the credential of a new installation", () => {
  let system: FakeSystem
  let credential: string
  beforeEach(() => {
    // It has no user of the vault's, so that nothing can be made after the credential.
    system = fakeSystem({ [encrypt]: { stdout: "new" } })
    credential = join(system.root, "/etc/countersign/countersign-key.cred")
    mkdirSync(join(system.root, "/etc/countersign"), { recursive: true })
  })
  afterEach(() => system.remove())

  it("is gone again when the installation can't be made", async () => {
    await assert.rejects(makeSystemInstallation(system, wishes), /There is no user/)
    assert.deepEqual(system.ran.slice(0, 1), [encrypt])
    assert.equal(existsSync(credential), false)
  })

  it("takes no other's place, which may be all that opens an older keystore", async () => {
    system.put("/etc/countersign/countersign-key.cred", "old")
    await assert.rejects(makeSystemInstallation(system, wishes), /can't be made \(EEXIST\)/)
    assert.equal(readFileSync(credential, "utf8"), "old")
  })
})
