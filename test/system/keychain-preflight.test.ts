import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { Fault } from "../../src/std/fault.ts"
import { chooseBackend } from "../../src/commands/init/create-installation.ts"
import { assertReady, preflight } from "../../src/vault/keyring/keychain/preflight.ts"
import { withKeychain } from "../../src/vault/keyring/keychain/with-keychain.ts"
import { needs } from "../support/needs.ts"
import {
  needsSecretService,
  setEnvironment,
  startSecretService,
  type SecretService,
} from "../support/secret-service.ts"

const options = {
  ...needsSecretService(),
  ...needs("dbus-send", "apt-get install dbus"),
}

/** With systemd's program, and where there is no systemd. */
for (const program of ["busctl", "dbus-send"]) {
  describe(`preflight by ${program}`, options, () => {
    let service: SecretService
    let restore: () => void
    before(async () => {
      service = await startSecretService()
      restore = setEnvironment({ PATH: pathWithOnly(program, service.directory) })
    })
    after(async () => {
      restore()
      await service.stop()
    })

    it("finds an unlocked keychain", async () => {
      assert.equal(await preflight(), "ready")
      await assertReady(preflight)
    })

    it("finds no bus", async () => {
      const nowhere = join(service.directory, "nowhere")
      const back = setEnvironment({
        DBUS_SESSION_BUS_ADDRESS: `unix:path=${nowhere}`,
        XDG_RUNTIME_DIR: nowhere,
      })
      assert.equal(await preflight().finally(back), "no_bus")
    })

    it("finds one that hangs, within its limit", async () => {
      service.signal("SIGSTOP")
      const startMs = performance.now()
      assert.equal(await preflight(500).finally(() => service.signal("SIGCONT")), "hangs")
      assert.ok(performance.now() - startMs < 5_000)
    })
  })
}

describe("preflight", options, () => {
  let service: SecretService
  before(async () => (service = await startSecretService()))
  after(() => service.stop())

  it("finds a locked keychain", async () => {
    await service.lock()
    assert.equal(await preflight(), "locked")
    await service.restart()
  })

  it("finds no Secret Service", async () => {
    await service.kill()
    assert.equal(await preflight(), "no_service")
    await service.restart()
  })

  it("finds no default collection", async () => {
    await service.restartEmpty()
    assert.equal(await preflight(), "no_collection")
    const attempt = withKeychain({ driver: "native", service: "x" }, (keychain) =>
      keychain.setPassword("bot", new Uint8Array(32)),
    )
    const expected = { code: "keychain_unavailable", message: /no default collection/ }
    await assert.rejects(attempt, expected)
    assert.equal(await preflight(), "no_collection")
    await service.restart()
  })

  it("finds that there is nothing to ask with", async () => {
    const restore = setEnvironment({ PATH: join(service.directory, "none") })
    assert.equal(await preflight().finally(restore), "no_program")
  })

  for (const state of [
    "locked",
    "no_collection",
    "no_service",
    "no_bus",
    "hangs",
    "no_program",
  ] as const) {
    it(`has a sentence for ${state} that says what to do`, async () => {
      const code = state === "locked" ? "keychain_locked" : "keychain_unavailable"
      await assert.rejects(
        assertReady(() => Promise.resolve(state)),
        (error) => {
          assert.ok(error instanceof Fault)
          assert.equal(error.code, code)
          assert.match(error.message, /(unlock|make|install|set|restart|run)/)
          return true
        },
      )
    })
  }
})

describe("chooseBackend", options, () => {
  let service: SecretService
  before(async () => (service = await startSecretService()))
  after(() => service.stop())

  it("chooses the keychain where it works, and leaves nothing in it", async () => {
    const { backend, why } = await chooseBackend()
    assert.equal(backend, "keychain")
    assert.match(why, /trial item/)
    const found = execFileSync("busctl", [
      ...["--user", "get-property", "org.freedesktop.secrets"],
      ...["/org/freedesktop/secrets/aliases/default", "org.freedesktop.Secret.Collection", "Items"],
    ])
    assert.equal(found.toString().trim(), "ao 0")
  })

  it("chooses a keystore where the keychain is locked or missing, and says why", async () => {
    await service.lock()
    const locked = await chooseBackend()
    assert.equal(locked.backend, "keystore")
    assert.match(locked.why, /keychain is locked/)
    await service.kill()
    const missing = await chooseBackend()
    assert.equal(missing.backend, "keystore")
    assert.match(missing.why, /No Secret Service/)
    await service.restart()
  })

  it("chooses a keystore where the keychain gives back something else", async () => {
    const { backend, why } = await chooseBackend("native", (_settings, use) =>
      use({
        getPassword: () => Promise.resolve(new Uint8Array(32)),
        setPassword: () => Promise.resolve(),
        deletePassword: () => Promise.resolve(true),
      }),
    )
    assert.equal(backend, "keystore")
    assert.match(why, /doesn't give back/)
  })
})

/** A PATH on which of all programs only this one is found. */
function pathWithOnly(program: string, directory: string): string {
  const path = join(directory, "bin")
  rmSync(path, { recursive: true, force: true, maxRetries: 10 })
  mkdirSync(path)
  const found = execFileSync("/bin/sh", ["-c", `command -v ${program}`], { encoding: "utf8" })
  symlinkSync(found.trim(), join(path, program))
  return path
}
