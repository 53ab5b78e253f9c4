import type { DatabaseSync } from "node:sqlite"

import type { RequestRow } from "./row.ts"

/** A request that the journal has and the tables may not have yet. */
export type Trailing = { readonly seq: number; readonly row: RequestRow }

/**
 * Whether the tables may have a request later than the journal. One with an idempotency key or a release
 * may not: there the database itself refuses a second one.
 */
export function mayTrail({ idempotency, release }: RequestRow): boolean {
  return idempotency === undefined && release === undefined
}

/**
 * Reads what trails, in the journal's order: requests at its very end, since nothing else is written before
 * the tables have caught up.
 */
export function readTrail(database: DatabaseSync): Trailing[] {
  const last = database.prepare("SELECT kind FROM entries ORDER BY seq DESC LIMIT 1").get()
  if (last?.["kind"] !== "request") return []
  // Our own STRICT table. Rows that the table lost from before another entry are for a check to find.
  const behind = database
    .prepare(
      `SELECT seq, row FROM entries
       WHERE seq > (SELECT coalesce(max(seq), 0) FROM requests)
         AND seq > (SELECT coalesce(max(seq), 0) FROM entries WHERE kind <> 'request')
       ORDER BY seq`,
    )
    .all() as unknown as readonly { readonly seq: number; readonly row: string }[]
  return behind.map(({ seq, row }) => ({ seq, row: JSON.parse(row) as RequestRow }))
}

/**
 * Prepares the check that each nonce of a signer is above all before it, also those that trail. Nobody but a
 * flaw of ours gets that far with another: the database's own refusal would come too late.
 */
export function nonceCheck(
  database: DatabaseSync,
  trail: readonly Trailing[],
): (row: RequestRow) => void {
  const last = new Map<string, number>()
  for (const { address, last_nonce } of database
    .prepare("SELECT address, last_nonce FROM signers")
    .all()) {
    last.set(address as string, last_nonce as number) // our own STRICT table
  }
  const take = ({ signer, nonce }: RequestRow): void => {
    if (nonce <= (last.get(signer) ?? -1)) throw new Error("a nonce was used twice")
    last.set(signer, nonce)
  }
  for (const { row } of trail) take(row)
  return take
}
