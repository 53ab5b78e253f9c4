import { isSignedBy, signWith } from "../audit/ledger-key.ts"
import { chainHash } from "../sqlite/journal.ts"
import type { LedgerKey } from "../store/audit-queries.ts"
import type { AppendedRows, Head } from "../store/store.ts"

/** Entries that a host committed together, as PostgreSQL keeps them. */
export type Batch = AppendedRows & {
  readonly firstSeq: number
  readonly host: string
  /** By the host's ledger key. */
  readonly seal: Uint8Array
}

/** Signs what a batch is: PostgreSQL keeps batches, and can make none. */
export function sealBatch(batch: Omit<Batch, "seal">, ledger: string, key: LedgerKey): Batch {
  return { ...batch, seal: signWith(key, sealedText(batch, ledger)) }
}

/**
 * What is wrong with a batch that should come after `previous`, in a sentence without its full stop; `undefined` where
 * nothing is. `publicKey` is its host's, hex.
 */
export function flawIn(
  batch: Batch,
  { previous, ledger, publicKey }: { previous: Head; ledger: string; publicKey: string },
): string | undefined {
  const { firstSeq, head, rows } = batch
  if (firstSeq !== previous.seq + 1) return `entry ${previous.seq + 1} is missing`
  if (head.seq !== previous.seq + rows.length)
    return `entry ${firstSeq} and those after it aren't whole`
  const hash = rows.reduce<Uint8Array>(chainHash, previous.hash)
  if (Buffer.compare(hash, head.hash) !== 0)
    return `an entry from ${firstSeq} to ${head.seq} was changed`
  if (isSignedBy(publicKey, sealedText(batch, ledger), batch.seal)) return undefined
  return `entries ${firstSeq} to ${head.seq} aren't sealed by host ${batch.host}`
}

/** The rows are in the last one's hash. The first line keeps it apart from all else that such a key signs. */
function sealedText({ firstSeq, head, host }: Omit<Batch, "seal">, ledger: string): Uint8Array {
  const hash = Buffer.from(head.hash).toString("hex")
  const lines = ["countersign-batch 1", ledger, host, firstSeq, head.seq, hash]
  return Buffer.from(`${lines.join("\n")}\n`)
}
