import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { after, before, describe, it } from "node:test"

import type { Bindings } from "../../../../../src/vault/ledger/bindings.ts"
import type { Ledger } from "../../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import { migrations } from "../../../../../src/vault/ledger/sqlite/migrations.ts"
import { aClaim, decimal } from "../../../../support/a-claim.ts"
import { fakeClock, startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  ledgerPlace,
  otherSigner,
  plainAsk,
  recordedSince,
  reserved,
  signer,
  type LedgerPlace,
} from "../../../../support/ledger-ask.ts"
import { readRepositoryFile } from "../../../../support/markdown.ts"
import { query, readLedger } from "../../../../support/read-ledger.ts"
import { countedAt, readSizes } from "../../../../../src/vault/ledger/records/request-row.ts"

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

/** Makes a ledger of the version before `step` was known. */
async function ledgerBefore(step: string, fill: string): Promise<LedgerPlace> {
  const place = await ledgerPlace()
  await writeFile(place.file, "", { mode: 0o600 })
  const database = new DatabaseSync(place.file)
  const version = migrations.findIndex((each) => each.includes(step))
  for (const each of migrations.slice(0, version)) database.exec(each)
  database.exec(`PRAGMA application_id = 1129540711; PRAGMA user_version = ${version}`)
  database.exec(`PRAGMA foreign_keys = OFF; ${fill}`) // of entries, of which none matters here
  database.close()
  return place
}

async function bindingsIn(place: LedgerPlace): Promise<Bindings> {
  const ledger = await openLedger({ file: place.file, clock: fakeClock() })
  const bindings = ledger.bindings()
  await ledger.close()
  await place.remove()
  return bindings
}

describe("a ledger in which raises add up", () => {
  it("keeps the latest of each limit", async () => {
    const place = await ledgerBefore(
      "raises_by_limit",
      `INSERT INTO raises VALUES (1, 'mm/daily', '30000000', ${startMs + 9_000}, 'r'),
         (2, 'mm/hourly', '7', ${startMs + 9_000}, 'r'), (3, 'mm/daily', '2000', ${startMs + 1_000}, 'r')`,
    )
    assert.deepEqual(
      (await bindingsIn(place)).raises.map(({ limit, until }) => [limit, until]),
      [
        ["mm/hourly", startMs + 9_000],
        ["mm/daily", startMs + 1_000],
      ],
    )
  })
})

describe("a ledger with a table for each kind of what stands", () => {
  const [address, other] = [signer, otherSigner]
  const drift = { anchor: "2", anchor_at: 5, allowance: "7", held: null }

  it("has all of it afterwards, in its order", async () => {
    const place = await ledgerBefore(
      "CREATE TABLE standing",
      `INSERT INTO keys VALUES (2, 'main', '${address}', 'wallet', NULL, '["${other}"]', 'n', 'unknown', NULL),
         (1, 'mm', '${other}', 'agent', 'main', '[]', 'n', 'approved', 9);
       INSERT INTO clients VALUES (4, 'bot', '0xef', '["mm","main"]', '["prices"]', 1, 'client_order_id', 8),
         (3, 'gone', NULL, '["mm"]', '[]', 0, 'header', NULL);
       INSERT INTO prices VALUES (1, 5, '64000.5', 6, 'feed', 1, '${JSON.stringify(drift)}'),
         (2, 6, '3', 7, 'operator', 0, NULL);
       INSERT INTO raises VALUES (7, 'mm/daily', '2000', 10, 'it''s busy');
       INSERT INTO freezes VALUES (9, 'all', '', 'r', 'operator', 0, 11), (8, 'client', 'bot', 's', 'bot', 1, 12);
       INSERT INTO heartbeats VALUES ('bot', 10), ('gone', 9);
       INSERT INTO accepted_sets VALUES (11, 'a'), (12, 'b')`,
    )
    const { keys, clients, prices, raises, freezes, armed, acceptedHash } = await bindingsIn(place)
    assert.deepEqual(
      [...keys.values()],
      [
        {
          ...{ name: "mm", address: other, role: "agent", wallet: "main", targets: [] },
          ...{ network: "n", approval: "approved", expires_at: 9 },
        },
        {
          ...{ name: "main", address, role: "wallet", wallet: null, targets: [other] },
          ...{ network: "n", approval: "unknown", expires_at: null },
        },
      ],
    )
    assert.deepEqual(clients, [
      {
        ...{ name: "gone", token_hash: null, keys: ["mm"], rights: [], allow_type_b: false },
      },
      {
        ...{ name: "bot", token_hash: "0xef", keys: ["mm", "main"], rights: ["prices"] },
        ...{ allow_type_b: true, idempotency_by: "client_order_id", expires_at: 8 },
      },
    ])
    assert.deepEqual(
      [...prices.values()],
      [
        {
          ...{ symbolId: 1, value: decimal("64000.5"), asOfMs: 6, by: "feed", confirmed: true },
          drift: { anchor: { value: decimal("2"), atMs: 5 }, allowance: 7n },
        },
        {
          ...{ symbolId: 2, value: decimal("3"), asOfMs: 7, by: "operator", confirmed: false },
          drift: undefined,
        },
      ],
    )
    assert.deepEqual(raises, [{ limit: "mm/daily", to: "2000", until: 10, reason: "it's busy" }])
    assert.deepEqual(freezes, [
      { scope: "client", name: "bot", reason: "s", by: "bot", cancels: true, since: 12 },
      { scope: "all", name: null, reason: "r", by: "operator", cancels: false, since: 11 },
    ])
    assert.deepEqual([armed, acceptedHash], [["gone", "bot"], "b"])
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
    assert.equal(request?.id, firstRow.id)
    assert.deepEqual([readSizes(request), countedAt(request)], [[], startMs])

    // Without an end, so that what names the set is as before too.
    assert.deepEqual(ledger.bindings().clients, [
      {
        ...{
          name: "mm-bot",
          token_hash: "0xef",
          keys: ["mm-agent"],
          rights: [],
          allow_type_b: false,
        },
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
