import { chmod, mkdir, open as openFile, rename, stat, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, it } from "node:test"

import type { Fault } from "../../../../src/std/fault.ts"
import type { Ledger } from "../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../src/vault/ledger/open-ledger.ts"
import { fakeClock, startMs, ledgerTime } from "../../../support/fake-clock.ts"
import {
  reserve,
  ledgerPlace,
  refusalEntry,
  plainAsk,
  reserveAt,
  reserved,
  type LedgerPlace,
} from "../../../support/ledger-ask.ts"
import { readLedger } from "../../../support/read-ledger.ts"

import assert from "node:assert/strict"

const clock = fakeClock()
let place: LedgerPlace
let opened: Ledger[]

beforeEach(async () => {
  place = await ledgerPlace()
  opened = []
})
afterEach(async () => {
  for (const ledger of opened) await ledger.close()
  await place.remove()
})

/** Opens `place`; what a failed test leaves open is closed after it. */
async function open(): Promise<Ledger> {
  const ledger = await openLedger({ file: place.file, clock })
  opened.push(ledger)
  return ledger
}

/** Makes a ledger with `count` requests and closes it. */
async function makeLedger(count: number): Promise<void> {
  const ledger = await open()
  await Promise.all(Array.from({ length: count }, () => reserved(ledger, clock.nowMs())))
  await ledger.close()
}

function alter(sql: string): void {
  const database = new DatabaseSync(place.file)
  database.exec(sql)
  database.close()
}

describe("opening a ledger", () => {
  it("makes a file that its owner alone can read", async () => {
    const ledger = await open()
    await reserved(ledger, clock.nowMs())
    for (const file of [place.file, `${place.file}-wal`]) {
      assert.equal((await stat(file)).mode & 0o777, 0o600)
    }
    await ledger.close()
  })

  it("refuses a second opening in the same process", async () => {
    const ledger = await open()
    await assert.rejects(open(), { name: "Fault", code: "already_running" })
    await reserved(ledger, clock.nowMs())
    await ledger.close()
  })

  for (const mode of [0o640, 0o604, 0o610]) {
    it(`refuses a file of mode ${mode.toString(8)}`, async () => {
      await makeLedger(1)
      await chmod(place.file, mode)
      await assert.rejects(open(), { name: "Fault", code: "file_unsafe", message: /chmod 600/ })
    })
  }

  it("refuses a symlink and a directory", async () => {
    await makeLedger(1)
    const elsewhere = join(dirname(place.file), "elsewhere.db")
    await rename(place.file, elsewhere)
    await symlink(elsewhere, place.file)
    await assert.rejects(open(), { name: "Fault", code: "file_unsafe" })
    await rename(place.file, `${place.file}.link`)
    await mkdir(place.file, { mode: 0o700 })
    await assert.rejects(open(), { name: "Fault", code: "file_unsafe" })
  })

  it("says that the directory is missing", async () => {
    const file = join(dirname(place.file), "no", "ledger.db")
    await assert.rejects(openLedger({ file, clock }), {
      name: "Fault",
      code: "ledger_unavailable",
      message: /ENOENT/,
    })
  })

  const broken: readonly (readonly [string, () => Promise<void> | void, RegExp])[] = [
    [
      "a file that is no database",
      () => writeFile(place.file, "not a database. ".repeat(100), { mode: 0o600 }),
      /no SQLite database/,
    ],
    [
      "another program's database",
      async () => {
        await writeFile(place.file, "", { mode: 0o600 })
        alter("CREATE TABLE theirs (x)")
      },
      /some other program's/,
    ],
    [
      "a newer schema",
      async () => {
        await makeLedger(1)
        alter("PRAGMA user_version = 1000")
      },
      /newer Countersign/,
    ],
    [
      "a last entry that was changed",
      async () => {
        await makeLedger(3)
        alter(`UPDATE entries SET row = replace(row, '0.5', '0.6') WHERE seq = 3`)
      },
      /doesn't match its hash/,
    ],
    [
      "a last but one entry that was removed",
      async () => {
        await makeLedger(3)
        alter("PRAGMA foreign_keys = OFF; DELETE FROM entries WHERE seq = 2")
      },
      /doesn't match its hash/,
    ],
    [
      "a page of garbage",
      async () => {
        await makeLedger(3)
        await overwrite(4_096, Buffer.alloc(8 * 4_096, 0xa5))
      },
      /damaged/,
    ],
  ]
  for (const [what, breakIt, message] of broken) {
    it(`refuses ${what} with a plain sentence, and keeps no lock`, async () => {
      await breakIt()
      for (let attempt = 0; attempt < 2; attempt++) {
        await assert.rejects(open(), { name: "Fault", code: "ledger_unusable", message })
      }
    })
  }

  it("keeps a migration's number in the file, and a second opening changes nothing", async () => {
    await makeLedger(2)
    const entries = readLedger(place.file)
    await makeLedger(0)
    assert.deepEqual(readLedger(place.file), entries)
  })
})

describe("a ledger whose commit failed", () => {
  it("keeps nothing of the batch and rejects everything from then on, until it is opened again", async () => {
    const ledger = await open()
    const before = await reserved(ledger, startMs)
    const settled = await Promise.allSettled([
      reserveAt(ledger, startMs),
      reserve(ledger, { ...plainAsk, ttlMs: 0.5, nowMs: ledgerTime(startMs) }), // the table takes whole milliseconds alone
      reserveAt(ledger, startMs),
      ledger.count(),
    ])
    const unavailable = { name: "Fault", code: "ledger_unavailable" }
    for (const each of settled) {
      assert.equal(each.status, "rejected")
      assert.equal((each.reason as Fault).code, unavailable.code)
    }
    await assert.rejects(reserveAt(ledger, startMs), unavailable)
    await assert.rejects(ledger.record(before.record), unavailable)
    assert.throws(() => ledger.note(refusalEntry(), ledgerTime(startMs)), unavailable)
    await ledger.close()

    assert.deepEqual(
      readLedger(place.file).map(({ id }) => id),
      [before.record],
    )
    const again = await open()
    assert.equal((await reserved(again, startMs)).nonce, before.nonce + 1)
  })
})

describe("closing a ledger", () => {
  it("waits for what is queued", async () => {
    const ledger = await open()
    const request = reserved(ledger, clock.nowMs())
    const refusal = ledger.note(refusalEntry(), ledgerTime(startMs))
    await ledger.close()
    const { record } = await request
    assert.deepEqual(
      readLedger(place.file).map(({ id }) => id),
      [record, refusal],
    )
  })

  it("is safe to call twice, and nothing can be called after it", async () => {
    const ledger = await open()
    await Promise.all([ledger.close(), ledger.close()])
    await ledger.close()
    const closed = { name: "Fault", code: "ledger_unavailable" }
    await assert.rejects(reserveAt(ledger, clock.nowMs()), closed)
    await assert.rejects(ledger.count(), closed)
    await assert.rejects(ledger.record("rec"), closed)
    await assert.rejects(ledger.settle("rec", { kind: "sent" }, ledgerTime(startMs)), closed)
    await assert.rejects(
      ledger.act({ act: "started", policy_hash: "" }, ledgerTime(startMs)),
      closed,
    )
    assert.throws(() => ledger.note(refusalEntry(), ledgerTime(startMs)), closed)
  })
})

async function overwrite(offset: number, bytes: Buffer): Promise<void> {
  const handle = await openFile(place.file, "r+")
  await handle.write(bytes, 0, bytes.length, offset)
  await handle.close()
}
