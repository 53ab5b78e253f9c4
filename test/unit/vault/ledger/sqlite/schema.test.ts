import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"

import type { Bindings } from "../../../../../src/vault/ledger/bindings.ts"
import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import { schemaVersion } from "../../../../../src/vault/ledger/sqlite/schema.ts"
import { decimal } from "../../../../support/a-claim.ts"
import { fakeClock } from "../../../../support/fake-clock.ts"
import {
  ledgerPlace,
  otherSigner,
  signer,
  type LedgerPlace,
} from "../../../../support/ledger-ask.ts"
import { schema8 } from "../../../../support/ledger-schema-8.ts"
import { readRepositoryFile } from "../../../../support/markdown.ts"
import { query } from "../../../../support/read-ledger.ts"

describe("the version of the schema", () => {
  it("is told by docs/ledger-schema.md", () => {
    const [, told] =
      /`PRAGMA user_version`[^.]*, now (\d+)\./.exec(readRepositoryFile("docs/ledger-schema.md")) ??
      []
    assert.equal(Number(told), schemaVersion)
  })
})

/** Makes a ledger with the tables of version 8, which says that it is of `version`. */
async function earlierLedger(fill: string, version = 8): Promise<LedgerPlace> {
  const place = await ledgerPlace()
  await writeFile(place.file, "", { mode: 0o600 })
  const database = new DatabaseSync(place.file)
  database.exec(schema8)
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

describe("a ledger with a table for each kind of what stands", () => {
  const [address, other] = [signer, otherSigner]
  const drift = { anchor: "2", anchor_at: 5, allowance: "7", held: null }

  it("has all of it afterwards, in its order", async () => {
    const place = await earlierLedger(
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

function versionIn(file: string): unknown {
  return query(file, "PRAGMA user_version")[0]?.["user_version"]
}

describe("a ledger of an earlier version", () => {
  it("has the tables of a new one afterwards", async () => {
    const [earlier, made] = [await earlierLedger(""), await ledgerPlace()]
    for (const { file } of [earlier, made]) {
      await (await openLedger({ file, clock: fakeClock() })).close()
    }
    const tablesOf = ({ file }: LedgerPlace) =>
      query(file, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    assert.deepEqual(tablesOf(earlier), tablesOf(made))
    for (const { file } of [earlier, made]) {
      assert.equal(versionIn(file), schemaVersion)
      assert.match(String(query(file, "SELECT name FROM identity")[0]?.["name"]), /^[0-9a-f]{32}$/)
    }
    await Promise.all([earlier.remove(), made.remove()])
  })

  it("is refused, and left as it is, where that version was never published", async () => {
    const place = await earlierLedger("", 7)
    await assert.rejects(openLedger({ file: place.file, clock: fakeClock() }), {
      code: "ledger_unusable",
      message: /was never published \(schema 7\); start it once with a version that knows schema 8/,
    })
    assert.equal(versionIn(place.file), 7)
    await place.remove()
  })
})
