import type { LedgerReader } from "./open-ledger.ts"
import { aboutEntry, entriesAfter } from "./read-entries.ts"
import { fieldsOf, membersOf, type Fields, type StoredEntry } from "./stored-entry.ts"

/** Whether an entry is one that is looked for. */
export type Sought = (of: Fields, entry: StoredEntry) => boolean

/** What records are looked for by, as the bot, the venue or the ledger has it. */
export const soughtBy = {
  nonce:
    (nonce: string): Sought =>
    (of) =>
      String(of["nonce"]) === nonce,
  /** The venue's: of the order that a request placed, or that its body names. */
  orderId: (id: string): Sought => {
    const text = JSON.stringify(id)
    return ({ order, body }) =>
      membersOf(order)["order_id"] === id || (typeof body === "string" && namesOrder(body, text))
  },
  clientOrderId: (id: string): Sought => {
    const member = `"client_order_id":${JSON.stringify(id)}`
    return ({ body }) => typeof body === "string" && body.includes(member)
  },
  /** The venue's. */
  txHash:
    (hash: string): Sought =>
    (of) =>
      membersOf(of["order"])["tx_hash"] === hash,
  /** Of an entry in the chain. */
  hash: (hex: string): Sought => {
    const wanted = Buffer.from(hex, "hex")
    return (_, { hash }) => wanted.equals(hash)
  },
} as const

/** Of canonical JSON, as the text of a member or of one in its list: within a text the quotes have backslashes. */
function namesOrder(body: string, text: string): boolean {
  const lists = [...body.matchAll(/"order_ids":\[([^\]]*)\]/g)]
  const isListed = lists.some(([, list = ""]) => list.split(",").includes(text))
  return isListed || body.includes(`"order_id":${text}`)
}

/** An entry, and what was heard of it. */
export type Found = NonNullable<ReturnType<typeof aboutEntry>>

/** More than a person reads. */
const maxFound = 200

/** Records in the order of the journal, each with all that was heard of it, at most 200. */
export function findRecords(ledger: LedgerReader, isSought: Sought): readonly Found[] {
  const found = new Map<string, Found>()
  for (const entry of entriesAfter(ledger, 0)) {
    const of = fieldsOf(entry.row)
    if (!isSought(of, entry)) continue
    const { record = entry.id } = of
    // An outcome's request may be in an archive: then it stands for itself.
    const about = aboutEntry(ledger, String(record)) ?? aboutEntry(ledger, String(entry.seq))
    if (about !== undefined) found.set(about.entry.id, about)
    if (found.size === maxFound) break
  }
  return [...found.values()]
}
