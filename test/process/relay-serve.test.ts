import assert from "node:assert/strict"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
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

describe("the SQL of a ledger that is to be PostgreSQL's", { timeout: 120_000 }, () => {
  it("goes into a new file of the owner's alone by --out, which is whole or isn't there", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    t.after(() => installation.remove())
    await (await serve(installation.dir)).stop()
    const settings = join(installation.dir, "countersign.yaml")
    const file = join(installation.home, "ledger.sql")
    const move = (...words: readonly string[]) =>
      countersign(["ledger", "move", "--dir", installation.dir, ...words])

    assert.equal((await move("--out", file)).code, 2, "the ledger isn't to be on PostgreSQL yet")
    assert.equal(existsSync(file), false)
    writeFileSync(
      settings,
      readFileSync(settings, "utf8").replace(
        /^ledger: .*$/m,
        "ledger: {engine: postgres, host: a}",
      ),
    )
    const printed = await move()
    assert.match(printed.stdout, /BEGIN/)
    assert.deepEqual(await move("--out", file), { code: 0, stdout: "", stderr: "" })
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(readFileSync(file, "utf8"), printed.stdout)

    const again = await move("--out", file)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /ledger\.sql is there already; choose another name/)
    const lost = join(installation.home, "entries.sql")
    const back = ["ledger", "put-back", "--dir", installation.dir, "--after", "1", "--out", lost]
    assert.equal((await countersign(back)).code, 0)
    assert.equal(statSync(lost).mode & 0o777, 0o600)

    const out = join(installation.home, "leave-out.sql")
    const leaveOut = (after: string) =>
      countersign([
        "ledger",
        "leave-out",
        "--dir",
        installation.dir,
        "--after",
        after,
        "--out",
        out,
      ])
    assert.match((await leaveOut("last")).stderr, /--after takes an entry's number/)
    const elsewhere = await leaveOut("0")
    assert.equal(elsewhere.code, 2)
    const [, last = ""] = /copy ends at entry (\d+), and not at 0/.exec(elsewhere.stderr) ?? []
    assert.equal(existsSync(out), false)
    assert.equal((await leaveOut(last)).code, 0)
    assert.match(
      readFileSync(out, "utf8"),
      new RegExp(`FROM countersign.batches WHERE last_seq > ${last}`),
    )
    assert.equal(statSync(out).mode & 0o777, 0o600)
  })

  it("gives the hosts' role no right to add, change or remove an entry", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    t.after(() => installation.remove())
    const grants = ["ledger", "grants", "--dir", installation.dir]
    assert.match((await countersign(grants)).stderr, /Say in countersign.yaml where the ledger/)
    const settings = join(installation.dir, "countersign.yaml")
    const text = readFileSync(settings, "utf8")
    writeFileSync(
      settings,
      text.replace(/^ledger: .*$/m, "ledger: {engine: postgres, host: a, role: signer}"),
    )
    const { code, stdout } = await countersign(grants)
    assert.equal(code, 0)
    assert.deepEqual(
      stdout.split("\n").filter((line) => line.startsWith("GRANT ") && line.includes("batches")),
      [
        "GRANT SELECT ON countersign.turns, countersign.head, countersign.batches, countersign.beats TO signer;",
      ],
    )
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
