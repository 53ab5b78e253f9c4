import type { Address } from "../../../venue/address.ts"
import type { OperationId } from "../../../venue/profile.ts"
import type { RecordedRequest } from "./entries.ts"
import { readSize } from "./request-row.ts"
import type { RequestRow, ShadowRow } from "./row.ts"

/** A request or shadow as its row tells it; whether room was given back is another row's word. */
export function recordedRequest(
  row: Omit<ShadowRow, "kind"> & Pick<RequestRow, "counted_at">,
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
