import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { after, before, describe, it } from "node:test"

import type { Ledger } from "../../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import { migrations } from "../../../../../src/vault/ledger/sqlite/migrations.ts"
import { aClaim } from "../../../../support/a-claim.ts"
import { fakeClock, startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  ledgerPlace,
  plainAsk,
  recordedSince,
  reserved,
  type LedgerPlace,
} from "../../../../support/ledger-ask.ts"
import { readRepositoryFile } from "../../../../support/markdown.ts"
import { query, readLedger } from "../../../../support/read-ledger.ts"

describe("the number of migrations", () => {
  it("is told by docs/ledger-schema.md", () => {
    const [, told] =
      /`PRAGMA user_version`[^.]*, now (\d+)\./.exec(readRepositoryFile("docs/ledger-schema.md")) ??
      []
    assert.equal(Number(told), migrations.length)
  })
})

/** A request as the first schema held it. */
const firstRow = {
  at_ms: startMs,
  body: '{"symbol_id":1}',
  client: "mm-bot",
  expires_after: startMs + 15_000,
  id: "rec_01KSR492Z8W9TC0Y2Q3RC6TV01",
  key: "mm-agent",
  kind: "request",
  nonce: startMs,
  operation: "placeOrder",
  path: "/v1/trade/place-order",
  policy_hash: "ab".repeat(32),
  purpose: "forward",
  rule: "market-maker/quote",
  seq: 1,
  signer: plainAsk.signer,
  target: null,
}

function makeFirstSchema(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(migrations[0] ?? "")
  database.exec("PRAGMA application_id = 1129540711; PRAGMA user_version = 1")
  const text = JSON.stringify(firstRow)
  const hash = createHash("sha256").update(Buffer.alloc(32)).update(text).digest()
  database
    .prepare("INSERT INTO entries VALUES (1, ?, 'request', ?, ?, ?)")
    .run(firstRow.id, startMs, text, hash)
  database
    .prepare(
      "INSERT INTO requests VALUES (?, 1, 'mm-bot', 'mm-agent', 'placeOrder', ?, ?, ?, ?, 'sent', NULL, NULL)",
    )
    .run(firstRow.id, plainAsk.signer, startMs, firstRow.expires_after, startMs)
  database.prepare("INSERT INTO signers VALUES (?, ?)").run(plainAsk.signer, startMs)
  database.exec(`INSERT INTO clients VALUES (1, 'mm-bot', '0xef', '["mm-agent"]', '[]', 0)`)
  database.close()
}

describe("a ledger in which raises add up", () => {
  it("keeps the latest of each limit", async () => {
    const place = await ledgerPlace()
    await writeFile(place.file, "", { mode: 0o600 })
    const database = new DatabaseSync(place.file)
    const version = migrations.findIndex((step) => step.includes("raises_by_limit"))
    for (const step of migrations.slice(0, version)) database.exec(step)
    database.exec(`PRAGMA application_id = 1129540711; PRAGMA user_version = ${version}`)
    const add = database.prepare("INSERT INTO raises VALUES (?, ?, ?, ?, 'r')")
    database.exec("PRAGMA foreign_keys = OFF") // of entries, of which none matters here
    add.run(1, "mm/daily", "30000000", startMs + 9_000)
    add.run(2, "mm/hourly", "7", startMs + 9_000)
    add.run(3, "mm/daily", "2000", startMs + 1_000)
    database.close()
    const ledger = await openLedger({ file: place.file, clock: fakeClock() })
    assert.deepEqual(
      ledger.bindings().raises.map(({ limit, untilMs }) => [limit, untilMs]),
      [
        ["mm/hourly", startMs + 9_000],
        ["mm/daily", startMs + 1_000],
      ],
    )
    await ledger.close()
    await place.remove()
  })
})

describe("a ledger of the first schema", () => {
  let place: LedgerPlace
  let ledger: Ledger
  before(async () => {
    place = await ledgerPlace()
    await writeFile(place.file, "", { mode: 0o600 })
    makeFirstSchema(place.file)
  })
  after(async () => {
    await ledger.close()
    await place.remove()
  })

  it("is brought up to date: its clients are as they were, and its requests count in limits made since", async () => {
    const clock = fakeClock()
    ledger = await openLedger({ file: place.file, clock })
    const [request] = await recordedSince(ledger, startMs)
    assert.equal(request?.record, firstRow.id)
    assert.deepEqual([request.sizes, request.countedAtMs], [[], startMs])

    // Without an end, so that what names the set is as before too.
    assert.deepEqual(ledger.bindings().clients, [
      {
        ...{ name: "mm-bot", tokenHash: "0xef", keys: ["mm-agent"], rights: [], allowTypeB: false },
        idempotencyBy: "header",
      },
    ])

    const claim = aClaim({ max: "1", release: "refused" })
    await ledger.replaceMeters(() => [claim], Infinity)
    const refused = { kind: "refused", status: 400, code: "1" } as const
    await ledger.settle(firstRow.id, refused, ledgerTime(startMs)) // it didn't say then what would be given back
    assert.equal(ledger.headroom([claim], ledgerTime(startMs))[0]?.fits, false)
    await reserved(ledger, startMs)
    await ledger.close()

    assert.equal(readLedger(place.file).length, 3)
    assert.equal(query(place.file, "PRAGMA user_version")[0]?.["user_version"], migrations.length)
  })
})
