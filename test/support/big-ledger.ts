import type { Address } from "../../src/venue/address.ts"
import { makeRecordId } from "../../src/vault/ledger/records/record-id.ts"
import type { JournalRow, RequestRow } from "../../src/vault/ledger/records/row.ts"
import { openDatabase } from "../../src/vault/ledger/sqlite/database.ts"
import { openJournal } from "../../src/vault/ledger/sqlite/journal.ts"
import { openProjections, type WriteRow } from "../../src/vault/ledger/sqlite/projections.ts"

const threeDaysMs = 3 * 86_400_000
const rowsInTransaction = 50_000

/** Who asks in a big ledger. */
export type BigLedger = {
  readonly client: string
  readonly key: string
  readonly signer: Address
  /** At least how many entries are added. */
  readonly entries: number
  /** When the last one is made; the first is made three days before. */
  readonly endMs: number
}

/**
 * Adds three days of a bot's trading to a ledger that is closed: orders and cancels, what became of each,
 * and refusals. It writes what the daemon would, by the same code, in large transactions and without
 * waiting for the disk. Returns ids of requests from all over it.
 */
export function growLedger(file: string, big: BigLedger): readonly string[] {
  const database = openDatabase(file)
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
  try {
    const { write, catchUp } = openProjections(database, openJournal(database))
    const stepMs = threeDaysMs / Math.ceil(big.entries / entriesOfTurn)
    const ids: string[] = []
    let inTransaction = 0
    database.exec("BEGIN IMMEDIATE")
    for (let turn = 0; turn * entriesOfTurn < big.entries; turn++) {
      const atMs = big.endMs - threeDaysMs + Math.floor(turn * stepMs)
      const id = writeTurn(write, big, { turn, atMs })
      if (turn % 1_000 === 0) ids.push(id)
      inTransaction += entriesOfTurn
      if (inTransaction < rowsInTransaction) continue
      inTransaction = 0
      database.exec("COMMIT; BEGIN IMMEDIATE")
    }
    catchUp()
    database.exec("COMMIT")
    return ids
  } finally {
    database.close()
  }
}

type Turn = { readonly turn: number; readonly atMs: number }

/** Three requests with two words of the gate on each, and a refusal. */
const entriesOfTurn = 10

/** Returns the id of one of its requests. */
function writeTurn(write: WriteRow, big: BigLedger, { turn, atMs }: Turn): string {
  const requests = [0, 1, 2].map((place) => requestRow(big, { turn: turn * 3 + place, atMs }))
  for (const request of requests) {
    write(request)
    write(outcomeRow(request, "sent"))
    write(outcomeRow(request, request.refunds === undefined ? "accepted" : "refused"))
  }
  write(refusalRow(big, atMs))
  return requests[turn % 3]?.id ?? ""
}

function requestRow({ client, key, signer }: BigLedger, { turn, atMs }: Turn): RequestRow {
  const isOrder = turn % 5 < 3
  const isRefused = turn % 20 === 0
  const price = String(60_000 + (turn % 5_000))
  return {
    kind: "request",
    id: makeRecordId(atMs),
    at_ms: atMs,
    ...{ client, key, signer },
    operation: isOrder ? "placeOrder" : "cancelOrder",
    path: isOrder ? "/v1/trade/orders" : "/v1/trade/orders/cancel",
    target: null,
    body: isOrder
      ? `{"is_buy":${String(turn % 2 === 0)},"order_type":"limit","price":"${price}","quantity":"0.1","symbol_id":1}`
      : `{"order_id":"${turn}","symbol_id":1}`,
    policy_hash: "ab".repeat(32),
    rule: "bench/all",
    purpose: "forward",
    nonce: atMs + (turn % 3), // turns lie further apart than three milliseconds
    expires_after: atMs + 15_000,
    ...(isOrder && { sizes: [{ entry: String((60_000 + (turn % 5_000)) / 10), legs: [] }] }),
    ...(isRefused && {
      refunds: [
        {
          meter: "orders",
          amount: "1",
          max: "1000",
          window: { kind: "rolling", length_ms: 3_600_000 },
        },
      ],
    }),
  }
}

function outcomeRow(
  { id, at_ms: atMs }: RequestRow,
  outcome: "sent" | "accepted" | "refused",
): JournalRow {
  return {
    kind: "outcome",
    id: makeRecordId(atMs),
    at_ms: atMs + 1,
    record: id,
    outcome,
    status: outcome === "sent" ? null : outcome === "accepted" ? 200 : 400,
    code: outcome === "sent" ? null : outcome === "accepted" ? "0" : "10001",
  }
}

function refusalRow({ client, key }: BigLedger, atMs: number): JournalRow {
  return {
    kind: "refusal",
    id: makeRecordId(atMs),
    at_ms: atMs,
    ...{ client, key },
    operation: "placeOrder",
    policy_hash: "ab".repeat(32),
    refusal: {
      code: "signer_pace",
      message: "This signer's next nonce would lie more than 1,000 ms ahead of the clock.",
      data: { retry_after_ms: 5 },
    },
  }
}
