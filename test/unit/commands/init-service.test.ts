import assert from "node:assert/strict"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import { vaultDirectories } from "../../../src/commands/service/system.ts"
import {
  makeSystemInstallation,
  assertNewInstallation,
} from "../../../src/commands/init-service.ts"
import { fakeSystem, type FakeSystem } from "../../support/fake-system.ts"

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

const ownUid = process.getuid?.() ?? 0
const vaultWith = (uid: number) => ({
  "getent passwd countersign-vault": { code: 0, stdout: `countersign-vault:x:${uid}:7::/:/\n` },
})

describe("a new installation of the services", () => {
  let system: FakeSystem
  beforeEach(() => installedFor(ownUid))
  afterEach(() => system.remove())

  /** A machine with the services' user and directories, which belong to this process's user. */
  function installedFor(uid: number): void {
    system = fakeSystem(vaultWith(uid))
    for (const path of vaultDirectories) mkdirSync(join(system.root, path), { recursive: true })
  }
  function refused(code: string, message: RegExp): void {
    assert.throws(() => assertNewInstallation(system), { code, message })
  }

  it("is made where its user and its directories are, and nothing else", () => {
    assertNewInstallation(system)
  })

  it("is refused where the services aren't installed", () => {
    system.remove()
    system = fakeSystem()
    refused(
      "install_failed",
      /no user countersign-vault; install the services first, by countersign install-service/,
    )
  })

  it("is refused where there is one, with what shows its secret", () => {
    system.put("/etc/countersign/countersign.yaml", "")
    refused(
      "already_initialised",
      / systemd-creds decrypt --name=countersign-key \S+key\.cred - shows/,
    )
  })

  it("is refused for a state without its configuration, so that no new secret hides an old keystore", () => {
    system.put("/var/lib/countersign/ledger.db", "")
    refused("install_failed", /ledger\.db is there and .*countersign\.yaml isn't/)
  })

  it("is refused for a credential without its configuration, which may open a keystore that was moved away", () => {
    system.put("/etc/countersign/countersign-key.cred", "old")
    refused("install_failed", /key\.cred is there and .*, or move \S+ and \S+key\.cred away/)
  })

  for (const directory of vaultDirectories) {
    const place = (): string => join(system.root, directory)
    const isNone = new RegExp(`^${directory} isn't a directory of countersign-vault; move away`)

    it(`is refused where ${directory} isn't there`, () => {
      rmSync(place(), { recursive: true })
      refused("install_failed", isNone)
    })

    it(`is refused where ${directory} is a link, as a unit with DynamicUser= leaves one`, () => {
      rmSync(place(), { recursive: true })
      mkdirSync(`${place()}-private`)
      symlinkSync(`${place()}-private`, place())
      refused("install_failed", isNone)
    })
  }

  it("is refused in directories of another user, who may be using them", () => {
    system.remove()
    installedFor(ownUid + 1)
    refused("install_failed", /^\/etc\/countersign isn't a directory of countersign-vault/)
  })
})
