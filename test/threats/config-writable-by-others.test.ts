import assert from "node:assert/strict"
import { chmodSync, chownSync, renameSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import { readAdminSecret } from "../../src/commands/installation/admin.ts"
import { pathsOf } from "../../src/vault/config/installation.ts"
import { openVault } from "../../src/vault/open-vault.ts"
import { makeAdminSecret } from "../../src/vault/serve-sockets.ts"
import { makeTestInstallation } from "../support/open-test-vault.ts"

const asRoot = process.getuid?.() === 0 ? {} : { skip: "needs root, to give files away" }
const unsafe = { code: "file_unsafe" }

describe("a configuration that others can change", () => {
  it("isn't opened: not a file of it, not a directory of it", async (t) => {
    const { installation, ...made } = await makeTestInstallation()
    t.after(() => made.remove())
    const paths = pathsOf(installation)
    const policy = join(paths.policiesDir, "0.yaml")
    const directories = [installation.configDir, paths.policiesDir, installation.stateDir]
    for (const path of [paths.configFile, paths.venueFile, policy, ...directories]) {
      const { mode } = statSync(path)
      for (const bit of [0o020, 0o002]) {
        chmodSync(path, mode | bit)
        await assert.rejects(openVault(installation, "without_keys"), unsafe, path)
      }
      chmodSync(path, mode)
    }
    await (await openVault(installation, "without_keys")).close()
  })

  it("isn't opened when a part of it belongs to somebody else", asRoot, async (t) => {
    const { installation, ...made } = await makeTestInstallation()
    t.after(() => made.remove())
    const paths = pathsOf(installation)
    for (const path of [paths.configFile, paths.policiesDir, installation.stateDir]) {
      chownSync(path, 65_534, 65_534)
      await assert.rejects(openVault(installation, "without_keys"), unsafe, path)
      chownSync(path, 0, 0)
    }
  })

  it("isn't opened through a symlink", async (t) => {
    const { installation, ...made } = await makeTestInstallation()
    t.after(() => made.remove())
    const { venueFile } = pathsOf(installation)
    renameSync(venueFile, `${venueFile}.real`)
    symlinkSync(`${venueFile}.real`, venueFile)
    await assert.rejects(openVault(installation, "without_keys"), unsafe)
  })
})

describe("a state directory that others can change", () => {
  it("is told no private key: its admin socket could be anybody's", async (t) => {
    const { installation, ...made } = await makeTestInstallation()
    t.after(() => made.remove())
    const { adminSecretFile } = pathsOf(installation)
    const secret = await makeAdminSecret(adminSecretFile)
    assert.equal(await readAdminSecret(adminSecretFile), secret)
    chmodSync(installation.stateDir, 0o702)
    await assert.rejects(readAdminSecret(adminSecretFile), unsafe)
  })
})
