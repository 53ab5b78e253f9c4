import assert from "node:assert/strict"
import { chown, mkdtemp, mkdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import { installationOf } from "../../../../src/commands/installation/installation-command.ts"
import { usualInstallation } from "../../../../src/commands/installation/usual-installation.ts"
import type { Installation } from "../../../../src/vault/config/installation.ts"

describe("the installation that no option names", () => {
  const names = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]
  let home: string
  let kept: readonly (string | undefined)[]
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "cs-usual-"))
    kept = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = join(home, name)
  })
  afterEach(async () => {
    names.forEach((name, index) => {
      const value = kept[index]
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    })
    await rm(home, { recursive: true })
  })

  const own = () => ({
    configDir: join(home, "XDG_CONFIG_HOME/countersign"),
    stateDir: join(home, "XDG_STATE_HOME/countersign"),
  })
  const services = () => ({ configDir: join(home, "etc"), stateDir: join(home, "lib") })
  async function make({ configDir, stateDir }: Installation): Promise<void> {
    for (const path of [configDir, stateDir]) await mkdir(path, { recursive: true })
    await writeFile(join(configDir, "countersign.yaml"), "")
  }

  it("is the services' for root, where there is one", async () => {
    await make(services())
    if (process.getuid?.() === 0) await chown(services().stateDir, 65_534, 65_534)
    assert.deepEqual(usualInstallation({ uid: 0, services: services() }), services())
  })

  it(
    "is none for root where the state is root's, as after a restore",
    { skip: process.getuid?.() !== 0 },
    async () => {
      await make(services())
      assert.throws(() => usualInstallation({ uid: 0, services: services() }), {
        code: "not_initialised",
        message: /lib belongs to root; systemctl start countersign\.target makes it the service's/,
      })
    },
  )

  it("is the user's own for any other user", async () => {
    await make(services())
    assert.deepEqual(usualInstallation({ uid: 1000, services: services() }), own())
  })

  it("is root's own where root has one", async () => {
    await make(services())
    await make(own())
    assert.deepEqual(usualInstallation({ uid: 0, services: services() }), own())
  })

  it("is root's own where there are no services", () => {
    assert.deepEqual(usualInstallation({ uid: 0, services: services() }), own())
  })

  it("is left once an option names any part of it", () => {
    assert.deepEqual(installationOf({ dir: "/d" }), { configDir: "/d", stateDir: "/d" })
    assert.deepEqual(installationOf({ configDir: "/c" }), { ...own(), configDir: "/c" })
    assert.deepEqual(installationOf({ stateDir: "/s" }), { ...own(), stateDir: "/s" })
    assert.deepEqual(installationOf({ dir: "/d", stateDir: "/s" }), {
      configDir: "/d",
      stateDir: "/s",
    })
  })
})
