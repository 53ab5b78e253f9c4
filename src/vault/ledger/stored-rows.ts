import type { DatabaseSync } from "node:sqlite"

import type { Heard } from "./record-state.ts"
import type { ClientFields, KeyFields, RefusalRow, RequestRow } from "./row.ts"

/** A record as it lies in the database; its state depends on the time, so it isn't said here. */
export type FoundRecord =
  | {
      readonly row: RequestRow
      readonly heard: Heard | null
      readonly status: number | null
      readonly code: string | null
    }
  | { readonly row: RefusalRow }

/** What a start needs. It grows with keys, clients and signers, never with the journal. */
export type OpenedState = {
  readonly keys: readonly KeyFields[]
  readonly clients: readonly ClientFields[]
  readonly lastNonces: ReadonlyMap<string, number>
}

// Every cast below reads what projections.ts wrote into our own STRICT tables.
type Columns = Readonly<Record<string, unknown>>

/** Prepares the look-up of a request or refusal by id. */
export function recordFinder(database: DatabaseSync): (id: string) => FoundRecord | undefined {
  const findRequest = database.prepare(
    `SELECT row, heard, status, code FROM requests JOIN entries USING (seq) WHERE requests.id = ?`,
  )
  const findRefusal = database.prepare(
    `SELECT row FROM refusals JOIN entries USING (seq) WHERE refusals.id = ?`,
  )
  return (id) => {
    const request = findRequest.get(id) as Columns | undefined
    if (request !== undefined) {
      return {
        row: JSON.parse(request["row"] as string) as RequestRow,
        heard: request["heard"] as Heard | null,
        status: request["status"] as number | null,
        code: request["code"] as string | null,
      }
    }
    const refusal = findRefusal.get(id) as Columns | undefined
    if (refusal === undefined) return undefined
    return { row: JSON.parse(refusal["row"] as string) as RefusalRow }
  }
}

/** Reads keys and clients in the order in which they were added, and each signer's last nonce. */
export function readOpenedState(database: DatabaseSync): OpenedState {
  const all = (sql: string): readonly Columns[] => database.prepare(sql).all()
  return {
    keys: all("SELECT * FROM keys ORDER BY seq").map(keyFields),
    clients: all("SELECT * FROM clients ORDER BY seq").map(clientFields),
    lastNonces: new Map(
      all("SELECT address, last_nonce FROM signers").map((signer) => [
        signer["address"] as string,
        signer["last_nonce"] as number,
      ]),
    ),
  }
}

function keyFields(columns: Columns): KeyFields {
  return {
    name: columns["name"] as string,
    address: columns["address"] as string,
    role: columns["role"] as string,
    wallet: columns["wallet"] as string | null,
    targets: JSON.parse(columns["targets"] as string) as readonly string[],
    network: columns["network"] as string,
    approval: columns["approval"] as string,
    expires_at: columns["expires_at"] as number | null,
  }
}

function clientFields(columns: Columns): ClientFields {
  return {
    name: columns["name"] as string,
    token_hash: columns["token_hash"] as string,
    keys: JSON.parse(columns["keys"] as string) as readonly string[],
    rights: JSON.parse(columns["rights"] as string) as readonly string[],
    allow_type_b: columns["allow_type_b"] === 1,
  }
}
