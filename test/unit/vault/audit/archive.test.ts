import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { readFile, readdir, stat, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { after, before, describe, it } from "node:test"
import { gunzipSync, gzipSync } from "node:zlib"

import { aboutEntry, archiveOf } from "../../../../src/audit/read-entries.ts"
import { archiveSource } from "../../../../src/commands/audit/archive.ts"
import { checkArchive } from "../../../../src/vault/audit/check-archive.ts"
import { writeArchive, type ArchiveWritten } from "../../../../src/vault/audit/write-archive.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { archiveIfDue } from "../../../../src/vault/operator/audit-methods.ts"
import { adminOf, entriesOf } from "../../../support/admin-of.ts"
import { tamper, verdictOf } from "../../../support/audit-ledger.ts"
import { growLedger } from "../../../support/big-ledger.ts"
import { signer } from "../../../support/ledger-ask.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  type TestVault,
} from "../../../support/open-test-vault.ts"
import { query } from "../../../support/read-ledger.ts"

const dayMs = 86_400_000
const old = 600

/** A vault whose ledger has 600 entries that are 31 to 34 days old, and some of today. */
async function openOldVault(): Promise<TestVault> {
  const test = await openTestVault({ settings: "archive: off\n", keys: "on_disk" })
  await test.close()
  const file = pathsOf(test.installation).ledgerFile
  const endMs = Date.now() - 31 * dayMs
  growLedger(file, { client: "mm-bot", key: "mm-agent", signer, entries: old, endMs })
  return test.reopen()
}

function ledgerOf({ installation }: TestVault): string {
  return pathsOf(installation).ledgerFile
}

function archiveFrom(test: TestVault, beforeMs = Date.now() - 30 * dayMs) {
  const directory = pathsOf(test.installation).archiveDir
  return writeArchive(archiveSource(adminOf(test), beforeMs), directory)
}

async function archived(test: TestVault): Promise<ArchiveWritten> {
  const { archive } = await archiveFrom(test)
  assert.ok(archive)
  return archive
}

describe("a file that is given as an archive", () => {
  it("isn't called damaged where the machine can't read it", async () => {
    // Linux answers EIO to who reads a process's memory at an address that nothing is mapped to.
    const unread = { code: "ledger_unavailable", message: /can't be read \(EIO\); check its owner/ }
    await assert.rejects(checkArchive("/proc/self/mem"), unread)
    await assert.rejects(checkArchive("/proc/none"), { code: "usage" })
    await assert.rejects(checkArchive("/proc"), { code: "usage" })
  })
})

describe("an archive", () => {
  let test: TestVault
  let archive: ArchiveWritten
  let first: string
  before(async () => {
    test = await openOldVault()
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    assertSigned(await test.sign(token, limitOrder()))
    first = (await entriesOf(test, { kind: "request" }))[0]?.id ?? ""
    archive = await archived(test)
  })
  after(() => test.remove())

  it("takes the entries that are old enough, and no others", async () => {
    assert.equal(archive.first_seq, 1)
    assert.equal(archive.last_seq, old)
    assert.equal(archive.entries, old)
    assert.equal((await entriesOf(test))[0]?.seq, old + 1)
  })

  it("is a file of mode 0600 with the SHA-256 that the ledger's act and the file beside it say", async () => {
    const bytes = await readFile(archive.file)
    assert.equal((await stat(archive.file)).mode & 0o777, 0o600)
    assert.equal(createHash("sha256").update(bytes).digest("hex"), archive.sha256)
    assert.equal(
      (await readFile(`${archive.file}.sha256`, "utf8")).trim(),
      `${archive.sha256}  ${basename(archive.file)}`,
    )
    const entries = await entriesOf(test, { kind: "act" })
    const acts = entries.map(({ row }) => JSON.parse(row) as Record<string, unknown>)
    const act = acts.find((row) => row["act"] === "archived")
    assert.equal(act?.["sha256"], archive.sha256)
    assert.equal(act["last_hash"], archive.last_hash)
  })

  it("comes after a checkpoint", async () => {
    assert.equal((await entriesOf(test, { kind: "checkpoint" })).length, 1)
  })

  it("answers for what is in it with its name", async () => {
    const found = await adminOf(test).readLedger((ledger) => [
      aboutEntry(ledger, first),
      archiveOf(ledger, first),
    ])
    assert.deepEqual(found, [undefined, basename(archive.file)])
  })

  it("leaves keys, clients and nonces as they were", async () => {
    const reopened = await test.reopen()
    try {
      assert.deepEqual(
        (await reopened.admin.listKeys()).map(({ name }) => name),
        ["mm"],
      )
      assert.equal(reopened.vault.ledger.lastNonce(signer)! > 0, true)
    } finally {
      test = reopened
    }
  })

  it("joins the ledger, which is whole with it and without it", async () => {
    await test.close()
    const alone = await verdictOf(ledgerOf(test))
    assert.deepEqual([alone.flaw, alone.firstSeq], [undefined, old + 1])
    const both = await verdictOf(ledgerOf(test), { archives: [archive.file] })
    assert.deepEqual([both.flaw, both.firstSeq], [undefined, 1])
    assert.equal(both.entries, old + alone.entries)
    test = await test.reopen()
  })

  it("has nothing more to take at once", async () => {
    const { archive: none, stays } = await archiveFrom(test)
    assert.equal(none, undefined)
    assert.deepEqual(stays, { seq: old + 1, why: "young" })
  })
})

describe("a modified archive", () => {
  let test: TestVault
  let archive: ArchiveWritten
  let text: string
  before(async () => {
    test = await openOldVault()
    archive = await archived(test)
    text = gunzipSync(await readFile(archive.file)).toString()
    await test.close()
  })
  after(() => test.remove())

  async function flawWith(changed: Buffer) {
    const file = join(test.installation.stateDir, basename(archive.file))
    await writeFile(file, changed)
    return (await verdictOf(ledgerOf(test), { archives: [file] })).flaw
  }
  const lines = (): string[] => text.split("\n")

  it("is noticed at the entry that was changed", async () => {
    const changed = lines()
    changed[10] = changed[10]!.replace('"at_ms":1', '"at_ms":2')
    const flaw = await flawWith(gzipSync(changed.join("\n")))
    assert.equal(flaw?.seq, 10)
    assert.match(flaw.file ?? "", /countersign-archive-/)
  })

  it("is noticed at the entry that was left out, whose line was broken or that was put elsewhere", async () => {
    const without = lines()
    without.splice(10, 1)
    assert.equal((await flawWith(gzipSync(without.join("\n"))))?.seq, 10)
    const broken = lines()
    broken[10] = broken[10]!.slice(1)
    assert.equal((await flawWith(gzipSync(broken.join("\n"))))?.seq, 10)
    const swapped = lines()
    ;[swapped[10], swapped[12]] = [swapped[12]!, swapped[10]!]
    assert.equal((await flawWith(gzipSync(swapped.join("\n"))))?.seq, 10)
  })

  it("is noticed when its end is cut off or damaged", async () => {
    const bytes = await readFile(archive.file)
    assert.notEqual(await flawWith(bytes.subarray(0, bytes.length - 20)), undefined)
    const shorter = [...lines().slice(0, 400), lines().at(-2)].join("\n")
    assert.equal((await flawWith(gzipSync(shorter)))?.seq, 400)
    const damaged = Buffer.from(bytes)
    damaged[bytes.length >> 1] = damaged[bytes.length >> 1]! ^ 0xff
    assert.notEqual(await flawWith(damaged), undefined)
  })

  it("is noticed by its bytes alone, though what it holds is the same", async () => {
    const flaw = await flawWith(gzipSync(text, { level: 1 }))
    assert.match(flaw?.what ?? "", /another SHA-256/)
  })

  it("is refused when it isn't an archive, and when it isn't the one that comes before the ledger", async () => {
    await assert.rejects(flawWith(Buffer.from("hello")), { code: "usage" })
    await assert.rejects(flawWith(gzipSync("hello\n")), { code: "usage" })
  })

  it("can't be replaced by a table that says that more was archived", async () => {
    const [row] = query(ledgerOf(test), `SELECT hash FROM entries WHERE seq = ${old + 1}`)
    const hash = Buffer.from(row?.["hash"] as Uint8Array).toString("hex")
    tamper(
      ledgerOf(test),
      `UPDATE archives SET last_seq = ${old + 1}, last_hash = '${hash}'; DELETE FROM entries WHERE seq = ${old + 1}`,
    )
    const { flaw } = await verdictOf(ledgerOf(test))
    assert.match(flaw?.what ?? "", /table archives says .*, and no act in the journal does/)
  })
})

describe("what has to stay in the ledger", () => {
  it("is what a limit counts", async () => {
    const policy = `policy: limited
rules:
  - name: all
    endpoints: [placeOrder]
limits:
  - name: monthly
    count: requests
    window: 31d
    max: 1000000
`
    const test = await openTestVault({ policies: [policy], settings: "archive: off\n" })
    try {
      await test.close()
      const endMs = Date.now() - 30 * dayMs
      const file = ledgerOf(test)
      growLedger(file, { client: "mm-bot", key: "mm-agent", signer, entries: old, endMs })
      const reopened = await test.reopen()
      const { archive, stays } = await archiveFrom(reopened, Date.now())
      await reopened.close()
      assert.equal(stays?.why, "limits")
      const [first] = query(file, "SELECT min(counted_at) AS at FROM requests")
      assert.ok((first?.["at"] as number) >= Date.now() - 31 * dayMs - 60_000)
      assert.ok(archive!.last_seq < old && archive!.last_seq > old / 3)
    } finally {
      await test.remove()
    }
  })

  it("is what is younger than a day, whatever was asked for", async () => {
    const test = await openTestVault({ settings: "archive: off\n" })
    try {
      await test.addKey({ name: "mm", role: "agent" })
      const { archive, stays } = await archiveFrom(test, Date.now() + dayMs)
      assert.equal(archive, undefined)
      assert.deepEqual(stays, { seq: 1, why: "young" })
    } finally {
      await test.remove()
    }
  })

  it("is everything where the ledger isn't whole", async () => {
    const test = await openOldVault()
    try {
      await test.close()
      const file = ledgerOf(test)
      tamper(file, "UPDATE entries SET row = replace(row, 'mm-bot', 'xx-bot') WHERE seq = 300")
      const countBefore = query(file, "SELECT count(*) AS n FROM entries")[0]?.["n"]
      const reopened = await test.reopen()
      await assert.rejects(archiveFrom(reopened), {
        code: "ledger_unavailable",
        message: /isn't whole: entry \d+/,
      })
      assert.deepEqual(await readdir(pathsOf(test.installation).archiveDir), [])
      await reopened.close()
      assert.ok(
        Number(query(file, "SELECT count(*) AS n FROM entries")[0]?.["n"]) >= Number(countBefore),
      )
    } finally {
      await test.remove()
    }
  })
})

describe("archiving by itself", () => {
  it("takes what countersign.yaml says, once a day", async () => {
    const test = await openOldVault()
    try {
      const { archiveDir } = pathsOf(test.installation)
      await archiveIfDue(test.vault)
      await assert.rejects(readdir(archiveDir), "it is off")
      await test.close()
      const { configDir } = test.installation
      const config = join(configDir, "countersign.yaml")
      const text = (await readFile(config, "utf8")).replace("archive: off", "archive: {keep: 30d}")
      await writeFile(config, text, { mode: 0o600 })
      const reopened = await test.reopen()
      const low = { freeBytes: 1, minFreeBytes: 2 }
      const withoutRoom = { ...reopened.vault.disk, lowWith: () => low }
      await archiveIfDue({ ...reopened.vault, disk: withoutRoom })
      await assert.rejects(readdir(archiveDir), "there is no room for it")
      await archiveIfDue(reopened.vault)
      await archiveIfDue(reopened.vault)
      await reopened.close()
      assert.equal((await readdir(archiveDir)).filter((name) => name.endsWith(".gz")).length, 1)
    } finally {
      await test.remove()
    }
  })
})
