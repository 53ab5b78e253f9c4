import type { SymbolTable } from "../venue/profile.ts"
import type { LedgerReader } from "./open-ledger.ts"
import { symbolReader } from "./past-files.ts"
import { fieldsOf, membersOf, type Fields, type StoredEntry } from "./stored-entry.ts"

/** Which entries are wanted; all where nothing is said. What is about a record is its client's, and so on. */
export type EntryFilter = {
  readonly client?: string | undefined
  readonly key?: string | undefined
  readonly kind?: string | undefined
  /** `policy/entry` that allowed, refused or held it, or the entry's name alone. */
  readonly rule?: string | undefined
  /** By its name in the files that the request was judged by. */
  readonly symbol?: string | undefined
  /** A refusal's code or reason, or the venue's code. */
  readonly code?: string | undefined
  /** Recorded at this wall time or later. */
  readonly sinceMs?: number | undefined
}

/** Makes what tells whether an entry is wanted. */
export function matcher(
  ledger: LedgerReader,
  filter: EntryFilter,
): (entry: StoredEntry) => boolean {
  const recordOf = recordFinder(ledger)
  const symbolsOf = symbolReader(ledger)
  const tests = (Object.keys(ofRecord) as (keyof typeof ofRecord)[]).flatMap((name) => {
    const wanted = filter[name]
    return wanted === undefined ? [] : [(seen: Seen) => ofRecord[name](seen, wanted)]
  })
  return (entry) => {
    if (!isOfKindAndTime(entry, filter)) return false
    if (tests.length === 0) return true
    const own = fieldsOf(entry.row)
    const { record } = own
    const about = typeof record === "string" ? recordOf(record) : own
    return tests.every((test) => test({ own, about, symbolsOf }))
  }
}

function isOfKindAndTime(entry: StoredEntry, { kind, sinceMs = -Infinity }: EntryFilter): boolean {
  return entry.at_ms >= sinceMs && (kind ?? entry.kind) === entry.kind
}

type Seen = {
  readonly own: Fields
  /** The request or refusal that the entry is of. */
  readonly about: Fields
  readonly symbolsOf: (policyHash: unknown) => SymbolTable | undefined
}

const ofRecord: Readonly<
  Record<"client" | "key" | "rule" | "symbol" | "code", (seen: Seen, wanted: string) => boolean>
> = {
  client: ({ about }, wanted) => about["client"] === wanted,
  key: ({ about }, wanted) => about["key"] === wanted,
  rule: ({ about }, wanted) => {
    const rule = ruleOf(about)
    return rule === wanted || rule?.split("/").at(-1) === wanted
  },
  symbol: isOfSymbol,
  code: ({ own, about }, wanted) => {
    const { code, data } = membersOf(about["refusal"])
    return [own["code"], code, membersOf(data)["reason"]].includes(wanted)
  },
}

/** The entry of a policy that decided, as `policy/entry`. */
function ruleOf(about: Fields): string | undefined {
  const said =
    about["refusal"] === undefined ? about : membersOf(membersOf(about["refusal"])["data"])
  const { policy } = said
  const entry = said["rule"] ?? said["limit"] ?? said["guard"]
  if (typeof entry !== "string") return undefined
  return typeof policy === "string" ? `${policy}/${entry}` : entry
}

/** A request is of the symbols in its body; a refusal, whose body isn't recorded, of those that its sentence names. */
function isOfSymbol({ about, symbolsOf }: Seen, wanted: string): boolean {
  const { message } = membersOf(about["refusal"])
  if (typeof message === "string") return wordsOf(message).has(wanted)
  const { body, policy_hash: hash } = about
  if (typeof body !== "string") return false
  const names = symbolsOf(hash)
  return symbolIdsIn(body).some((id) => names?.byId.get(id)?.name === wanted)
}

/** The words of a sentence, without what ends or parts them. */
export function wordsOf(sentence: string): ReadonlySet<string> {
  return new Set(sentence.split(/[\s,;:()]+/).map((each) => each.replace(/\.$/, "")))
}

/** The numbers of the symbols that a body is about. Of canonical JSON: within a text the quotes have backslashes. */
export function symbolIdsIn(body: string): readonly number[] {
  return [...body.matchAll(/"symbol_id":(\d+)/g)].map(([, id]) => Number(id))
}

function recordFinder(ledger: LedgerReader): (id: string) => Fields {
  const find = ledger.prepare(
    `SELECT row FROM entries WHERE seq IN (SELECT seq FROM requests WHERE id = ?1
     UNION ALL SELECT seq FROM refusals WHERE id = ?1)`,
  )
  return (id) => fieldsOf(String(find.get(id)?.["row"] ?? ""))
}
