import { sizeFieldsOf } from "./decide.ts"
import type { RecordedRequest, ShadowEntry } from "./records/entries.ts"
import { type RecordId, makeRecordId } from "./records/record-id.ts"
import { recordedRequest } from "./records/request-row.ts"
import type { ShadowRow } from "./records/row.ts"
import type { FoundShadow, LedgerStore, ShadowCursor } from "./store/store.ts"

/** Records a request that was only asked about. Durable when it resolves. */
export async function recordShadow(
  store: LedgerStore,
  entry: ShadowEntry,
  nowMs: number,
): Promise<RecordId> {
  const { client, key, operation, path, target, body, policyHash, signer, sizes } = entry
  const id = makeRecordId(nowMs)
  const row: ShadowRow = {
    kind: "shadow",
    id,
    at_ms: nowMs,
    ...{ client, key, operation, path, target, body, signer },
    policy_hash: policyHash,
    ...(sizes.length > 0 && { sizes: sizes.map(sizeFieldsOf) }),
  }
  await store.append(row)
  return id
}

/** Reads page by page the shadows that were asked at `sinceMs` or later. */
export async function* readShadows(
  store: LedgerStore,
  sinceMs: number,
): AsyncGenerator<RecordedRequest> {
  const first: ShadowCursor = { askedAtMs: sinceMs, seq: 0 }
  for (let after: ShadowCursor | undefined = first; after !== undefined;) {
    const page: readonly FoundShadow[] = await store.run({ kind: "shadows", after })
    for (const { row } of page) yield recordedRequest(row, undefined)
    after = page.at(-1)
  }
}
