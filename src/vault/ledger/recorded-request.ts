import type { Address } from "../../venue/address.ts"
import type { OperationId } from "../../venue/profile.ts"
import { readSize } from "./claim-fields.ts"
import type { RecordedRequest } from "./ledger.ts"
import type { RequestRow } from "./row.ts"

/** A request as its row tells it; whether room was given back is another row's word. */
export function recordedRequest(
  row: RequestRow,
  releasedAtMs: number | undefined,
): RecordedRequest {
  return {
    record: row.id,
    client: row.client,
    key: row.key,
    operation: row.operation as OperationId, // written from one
    path: row.path,
    signer: row.signer as Address, // written from one
    target: row.target as Address | null, // written from one
    body: row.body,
    sizes: (row.sizes ?? []).map(readSize),
    atMs: row.at_ms,
    countedAtMs: row.counted_at ?? row.at_ms,
    releasedAtMs,
  }
}
