import type { CandidateView } from "../contract/views.ts"
import { Fault } from "../std/fault.ts"
import { parseFileSet, type FileSet, type FileText } from "../vault/config/load-files.ts"
import { readSet } from "../vault/ledger/sqlite/opened-state.ts"
import { readStanding } from "../vault/ledger/sqlite/standing-table.ts"
import type { SymbolTable } from "../venue/profile.ts"
import type { LedgerReader } from "./open-ledger.ts"
import { begunAnew, changesBetween } from "./widening.ts"

/** The files that a hash names. @throws {Fault} `name_unknown`. */
export function filesNamed(ledger: LedgerReader, hash: string): readonly FileText[] {
  const set = readSet(ledger, hash)
  if (set !== undefined) return set.files
  throw new Fault(
    "name_unknown",
    "No files with this hash were in force here. An earlier version put clients and keys into the hash of its records; countersign policy log shows the files of that time.",
  )
}

/** The files that were in force last; none before the first start. */
export function lastInForce(ledger: LedgerReader): readonly FileText[] {
  return filesOf(ledger, hashesInForce(ledger)[0])?.texts ?? []
}

/** What is different in `files` from what a person accepted, or else was in force, last. */
export function candidate(ledger: LedgerReader, files: FileSet): CandidateView {
  const accepted = readStanding(ledger).accepted.values().next().value?.hash
  const last = filesOf(ledger, accepted ?? hashesInForce(ledger)[0])
  const anew = begunAnew(last?.policies ?? [], files.policies)
  return {
    hash: files.policyHash,
    accepted: accepted === files.policyHash,
    changes: [...changesBetween(last?.texts ?? [], files.texts), ...anew],
  }
}

/** The set that was in force before the one with `hash`, and what it would change. @throws {Fault} `name_unknown`. */
export function setBefore(ledger: LedgerReader, hash: string): Omit<CandidateView, "accepted"> {
  const earlier = filesOf(
    ledger,
    hashesInForce(ledger).find((each) => each !== hash),
  )
  if (earlier === undefined) {
    throw new Fault("name_unknown", "There is no such set of files to go back to.")
  }
  const changes = changesBetween(filesNamed(ledger, hash), earlier.texts)
  return { hash: earlier.policyHash, changes }
}

/** Those of the sets that were in force last, the newest first. */
function hashesInForce(ledger: LedgerReader): readonly string[] {
  const sets = ledger.prepare("SELECT hash FROM sets ORDER BY seq DESC LIMIT 20").all()
  return sets.map(({ hash }) => hash as string) // our own STRICT table
}

function filesOf(ledger: LedgerReader, hash: string | undefined): FileSet | undefined {
  const stored = hash === undefined ? undefined : readSet(ledger, hash)
  const read = stored === undefined ? undefined : parseFileSet(stored.files)
  return read?.ok === true ? read.value : undefined
}

/** Makes what tells the symbols of the files that a hash names; `undefined` where the ledger doesn't have those. */
export function symbolReader(ledger: LedgerReader): (hash: unknown) => SymbolTable | undefined {
  const known = new Map<unknown, SymbolTable | undefined>()
  return (hash) => {
    if (typeof hash !== "string") return undefined
    if (!known.has(hash)) known.set(hash, filesOf(ledger, hash)?.profile.symbols)
    return known.get(hash)
  }
}
