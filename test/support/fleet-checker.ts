// What is checked of a ledger that several hosts share, besides what outside-checker.ts does of each copy: with nothing of
// the daemon's own code.

import assert from "node:assert/strict"
import { createHash, createPublicKey, verify, type KeyObject } from "node:crypto"

import type { PostgresServer } from "./postgres-server.ts"
import { query } from "./read-ledger.ts"

type Sealed = {
  readonly server: PostgresServer
  /** Of each host, hex. */
  readonly publicKeys: ReadonlyMap<string, string>
}

const batchesOfPage = 1_000

/** Checks chain and seal of every batch that PostgreSQL has. Returns how many these are, and the last entry. */
export async function checkBatches({ server, publicKeys }: Sealed) {
  const keys = new Map([...publicKeys].map(([host, hex]) => [host, publicKeyOf(hex)]))
  const ledger = await server.ask("SELECT ledger FROM countersign.head")
  let last: Entry | undefined
  let batches = 0
  for (;;) {
    const page = await pageAfter(server, last?.seq ?? 0)
    for (const batch of page) last = checkBatch(batch, { last, ledger, key: keys.get(batch.host) })
    batches += page.length
    if (page.length < batchesOfPage) return { batches, last }
  }
}

type Entry = { readonly seq: number; readonly hash: string }
type Batch = Entry & {
  readonly first: number
  readonly host: string
  readonly rows: string
  readonly seal: string
}

async function pageAfter(server: PostgresServer, seq: number): Promise<readonly Batch[]> {
  const text = await server.ask(`SELECT last_seq, encode(hash, 'hex'), first_seq, host,
    encode(convert_to(rows, 'UTF8'), 'hex'), encode(seal, 'hex')
    FROM countersign.batches WHERE last_seq > ${seq} ORDER BY last_seq LIMIT ${batchesOfPage}`)
  return text.split("\n").filter(Boolean).map(batchIn)
}

function batchIn(line: string): Batch {
  const [last, hash = "", first, host = "", rows = "", seal = ""] = line.split("|")
  const text = Buffer.from(rows, "hex").toString()
  return { seq: Number(last), hash, first: Number(first), host, rows: text, seal }
}

/** docs/decisions/postgres-copy.md: each goes on from the one before, and its host seals its last entry. */
function checkBatch(
  { first, seq, hash, host, rows, seal }: Batch,
  { last, ledger, key }: { last: Entry | undefined; ledger: string; key: KeyObject | undefined },
): Entry {
  const lines = rows.split("\n")
  assert.equal(seq, first + lines.length - 1)
  if (last !== undefined) {
    assert.equal(first, last.seq + 1)
    assert.equal(lines.reduce(chained, last.hash), hash, `entries ${first} to ${seq} are chained`)
  }
  assert.ok(key, `${host} is a host`)
  const sealed = ["countersign-batch 1", ledger, host, first, seq, hash].join("\n")
  assert.ok(
    verify(null, Buffer.from(`${sealed}\n`), key, Buffer.from(seal, "hex")),
    `entries ${first} to ${seq} are sealed`,
  )
  return { seq, hash }
}

function chained(before: string, row: string): string {
  return createHash("sha256").update(Buffer.from(before, "hex")).update(row).digest("hex")
}

function publicKeyOf(hex: string): KeyObject {
  const spki = Buffer.from(`302a300506032b6570032100${hex}`, "hex") // RFC 8410
  return createPublicKey({ key: spki, format: "der", type: "spki" })
}

/** What each host has for itself. */
const own = ["clock", "probe", "meter_snapshots", "meter_snapshot_texts"]

/** Asserts that closed copies of one ledger hold the same, table by table. Returns how many tables these are. */
export function assertSameTables([first = "", ...others]: readonly string[]): number {
  const tables = query(first, "SELECT name FROM sqlite_master WHERE type = 'table'")
    .map(({ name }) => name as string)
    .filter((name) => !own.includes(name))
  for (const table of tables) {
    const expected = digestOf(first, table)
    for (const other of others)
      assert.equal(digestOf(other, table), expected, `${table} in ${other}`)
  }
  return tables.length
}

function digestOf(file: string, table: string): string {
  const columns = query(file, `PRAGMA table_info(${table})`).map(
    ({ name }) => `quote(${name as string})`,
  )
  const order = columns.map((_, index) => index + 1).join(", ")
  const hash = createHash("sha256")
  for (const row of query(file, `SELECT ${columns.join(", ")} FROM ${table} ORDER BY ${order}`)) {
    hash.update(`${Object.values(row).join(" ")}\n`)
  }
  return hash.digest("hex")
}
