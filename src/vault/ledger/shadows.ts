import { sizeFieldsOf } from "./claim-fields.ts"
import type { CommitQueue } from "./commit-queue.ts"
import type { RecordId, RecordedRequest, ShadowEntry } from "./ledger.ts"
import { makeRecordId } from "./record-id.ts"
import { recordedRequest } from "./recorded-request.ts"
import type { ShadowRow } from "./row.ts"
import type { FoundShadow, ShadowCursor } from "./stored-rows.ts"

/** Records a request that was only asked about. Durable when it resolves. */
export async function recordShadow(
  queue: CommitQueue,
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
  await queue.run({ kind: "write", row })
  return id
}

/** Reads page by page the shadows that were asked at `sinceMs` or later. */
export async function* readShadows(
  queue: CommitQueue,
  sinceMs: number,
): AsyncGenerator<RecordedRequest> {
  const first: ShadowCursor = { askedAtMs: sinceMs, seq: 0 }
  for (let after: ShadowCursor | undefined = first; after !== undefined;) {
    const page: readonly FoundShadow[] = await queue.run({ kind: "shadows", after })
    for (const { row } of page) yield recordedRequest(row, undefined)
    after = page.at(-1)
  }
}
