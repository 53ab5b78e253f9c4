import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, it, type TestContext } from "node:test"
import { fileURLToPath } from "node:url"

import { vaultFlags } from "../../src/commands/daemon/process-flags.ts"
import type { KeychainDriver } from "../../src/vault/keyring/keychain/keychain.ts"
import { keytarDirectory, needsKeytar } from "../support/keytar.ts"
import { needsSecretService, startSecretService } from "../support/secret-service.ts"

const probe = fileURLToPath(new URL("../support/keychain-probe.ts", import.meta.url))

async function runProbe(t: TestContext, driver: KeychainDriver) {
  const service = await startSecretService()
  t.after(() => service.stop())
  const stateDir = join(service.directory, "state")
  mkdirSync(stateDir, { mode: 0o700 })
  const keychain = { passphraseFile: undefined, usesKeychain: true }
  const flags = vaultFlags({ configDir: stateDir, stateDir }, keychain)
  const keytar = driver === "keytar" ? [keytarDirectory() ?? ""] : []
  const child = spawn(
    process.execPath,
    [...flags, probe, join(stateDir, "keychain"), driver, ...keytar],
    { stdio: ["ignore", "pipe", "pipe"] },
  )
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  assert.equal(stderr, "")
  return JSON.parse(stdout) as unknown
}

const expected = {
  isSame: true,
  names: [],
  addon: "failed",
  readOutside: "ERR_ACCESS_DENIED",
}

describe("a vault whose keys are in the keychain", needsSecretService(), () => {
  it("reaches it under its own flags, and loads no addon itself", async (t) => {
    assert.deepEqual(await runProbe(t, "native"), expected)
  })

  it("reaches it through keytar as well", needsKeytar(), async (t) => {
    assert.deepEqual(await runProbe(t, "keytar"), expected)
  })
})
