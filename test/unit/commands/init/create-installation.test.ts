import assert from "node:assert/strict"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import {
  createInstallation,
  type NewInstallation,
} from "../../../../src/commands/init/create-installation.ts"
import { configText } from "../../../../src/commands/init/init-texts.ts"
import { utf8 } from "../../../../src/std/bytes.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"

function place(t: TestContext): string {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  return directory.path
}

function asked(dir: string, changes: Partial<NewInstallation> = {}): NewInstallation {
  return {
    installation: { configDir: dir, stateDir: dir },
    configText: configText({ backend: "memory" }),
    venueText: "extends: builtin\n",
    policyText: "# none\n",
    keyStore: { kind: "nothing" },
    passphraseFile: undefined,
    ...changes,
  }
}

describe("making an installation", () => {
  it("makes directories and files for their owner alone, whatever the umask", async (t) => {
    const umaskBefore = process.umask(0)
    t.after(() => process.umask(umaskBefore))
    const dir = join(place(t), "deep", "d")
    await createInstallation(asked(dir))
    assert.deepEqual(readdirSync(dir).toSorted(), ["countersign.yaml", "policies", "venue.yaml"])
    for (const name of ["", "policies"]) assert.equal(statSync(join(dir, name)).mode & 0o777, 0o700)
    for (const name of ["countersign.yaml", "venue.yaml", "policies/example.yaml"]) {
      assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600)
    }
  })

  it("changes nothing where any part of one is", async (t) => {
    for (const name of ["countersign.yaml", "venue.yaml", "ledger.db", "keystore"]) {
      const dir = place(t)
      writeFileSync(join(dir, name), "mine")
      await assert.rejects(createInstallation(asked(dir)), { code: "already_initialised" })
      assert.deepEqual(readdirSync(dir), [name])
    }
  })

  it("writes through no symlink, and removes what it made before it", async (t) => {
    const dir = place(t)
    const target = join(place(t), "target")
    symlinkSync(target, join(dir, "countersign.yaml"))
    await assert.rejects(createInstallation(asked(dir)), { code: "file_unsafe" })
    assert.equal(existsSync(target), false)
    assert.equal(existsSync(join(dir, "venue.yaml")), false)
  })

  it("overwrites the passphrase, also when it fails", async (t) => {
    const dir = place(t)
    writeFileSync(join(dir, "venue.yaml"), "mine")
    for (const at of [dir, join(dir, "new", "\0")]) {
      const passphrase = utf8("canary")
      await assert.rejects(
        createInstallation(asked(at, { keyStore: { kind: "keystore", passphrase } })),
      )
      assert.deepEqual([...passphrase], [0, 0, 0, 0, 0, 0])
    }
  })

  it("makes an open directory private if nothing but the passphrase's file is in it", async (t) => {
    const dir = join(place(t), "d")
    mkdirSync(dir)
    chmodSync(dir, 0o755)
    const passphraseFile = join(dir, "passphrase")
    writeFileSync(passphraseFile, "x", { mode: 0o600 })
    await createInstallation(asked(dir, { passphraseFile }))
    assert.equal(statSync(dir).mode & 0o777, 0o700)
    assert.equal(readFileSync(passphraseFile, "utf8"), "x")
  })

  it("refuses an open directory with anything else in it", async (t) => {
    const dir = join(place(t), "d")
    mkdirSync(dir)
    chmodSync(dir, 0o755)
    writeFileSync(join(dir, "page.html"), "")
    const expected = { code: "file_unsafe", message: /chmod 700/ }
    await assert.rejects(createInstallation(asked(dir)), expected)
    assert.deepEqual(readdirSync(dir), ["page.html"])
  })
})
