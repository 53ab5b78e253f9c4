import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  makeInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { assertRefused, copyOf, type Place } from "../support/refused-start.ts"

describe("countersign serve with a ledger on PostgreSQL", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  function placeOnPostgres(): Place {
    const place = copyOf(installation)
    const file = join(place.dir, "countersign.yaml")
    const settings = readFileSync(file, "utf8")
    const moved = settings.replace(/^ledger: .*$/m, "ledger: {engine: postgres, host: a}")
    assert.notEqual(moved, settings)
    writeFileSync(file, moved)
    return place
  }

  it("doesn't start without a relay.yaml, and names the file", async () => {
    const place = placeOnPostgres()
    const says = /^countersign: \S+\/d\/relay\.yaml doesn't exist/
    await assertRefused(place, { says, by: countersign })
  })

  it("doesn't start with a mistake in relay.yaml, and says where it is", async () => {
    const place = placeOnPostgres()
    writeFileSync(join(place.dir, "relay.yaml"), "servers: []\nca: a\ncertificate: b\nkey: c\n")
    await assertRefused(place, {
      says: /\/d\/relay\.yaml:1:1: expected a list of/,
      by: countersign,
    })
  })
})

describe("countersign serve with a ledger of this host's alone", { timeout: 120_000 }, () => {
  it("doesn't look at relay.yaml", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    t.after(() => installation.remove())
    writeFileSync(join(installation.dir, "relay.yaml"), "servers: []\n")
    const daemon = await serve(installation.dir)
    assert.equal(await daemon.stop(), 0)
  })
})
