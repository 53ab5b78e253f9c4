import type { ShadowEntry } from "./records/entries.ts"
import { type RecordId, makeRecordId } from "./records/record-id.ts"
import type { ShadowRow } from "./records/row.ts"
import type { FoundShadow, LedgerStore, ShadowCursor } from "./store/store.ts"

/** Records a request that was only asked about. Durable when it resolves. */
export async function recordShadow(
  store: LedgerStore,
  entry: ShadowEntry,
  nowMs: number,
): Promise<RecordId> {
  const id = makeRecordId(nowMs)
  await store.append({ kind: "shadow", id, at_ms: nowMs, ...entry })
  return id
}

/** Reads page by page the shadows that were asked at `sinceMs` or later. */
export async function* readShadows(store: LedgerStore, sinceMs: number): AsyncGenerator<ShadowRow> {
  const first: ShadowCursor = { askedAtMs: sinceMs, seq: 0 }
  for (let after: ShadowCursor | undefined = first; after !== undefined;) {
    const page: readonly FoundShadow[] = await store.run("shadows", after)
    for (const { row } of page) yield row
    after = page.at(-1)
  }
}
