import { askedText, symbolsIn } from "../../console/asked-text.ts"
import type { Decision } from "../../console/asks.ts"
import { whoRefused } from "../../link/views/refusal.ts"
import type { HoldView, SymbolsView } from "../../link/views/views.ts"
import type { RefusalRow, RequestRow } from "../../vault/ledger/records/row.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-jobs.ts"
import { reasonOf, resultOf } from "../../vault/metrics/vault-metrics.ts"

/** Whether an entry is of a request that was signed, or of one that was refused. */
export function isDecision({ kind }: Pick<StoredEntry, "kind">): boolean {
  return kind === "request" || kind === "refusal"
}

/** The hold that a request got; `undefined` where it got none. */
function holdOf({ refusal }: RefusalRow): string | undefined {
  return refusal.code === "approval_required" ? (refusal.data.hold ?? undefined) : undefined
}

/** Whether an entry is of a request that a person has to release. */
export function isHeld({ kind, row }: Pick<StoredEntry, "kind" | "row">): boolean {
  return kind === "refusal" && holdOf(JSON.parse(row) as RefusalRow) !== undefined
}

/** What tells how a body is meant, and what is held. */
type Known = { readonly symbols: SymbolsView; readonly holds: readonly HoldView[] }

/** A decision for people. A request's body is worded, and doesn't go on; a refusal's isn't recorded, but what is held has its own. */
export function decisionOf({ seq, row }: StoredEntry, { symbols, holds }: Known): Decision {
  const of = JSON.parse(row) as RequestRow | RefusalRow // the vault wrote it
  const { id: record, at_ms: at, client, key, operation } = of
  const told = { seq, record, at, client, key, operation }
  if (of.kind === "refusal") {
    const { refusal } = of
    const body = holds.find(({ id }) => id === holdOf(of))?.body
    const asked =
      body === undefined ? null : askedText({ operation, body: JSON.parse(body) }, symbols)
    return {
      ...told,
      ...{ result: resultOf(refusal), by: whoRefused(refusal), asked },
      symbols: symbolsNamed(refusal.message, symbols),
      ...{ code: refusal.code, reason: reasonOf(refusal), message: refusal.message },
    }
  }
  const body: unknown = JSON.parse(of.body)
  return {
    ...told,
    ...{ result: "allowed", by: of.rule, asked: askedText({ operation, body }, symbols) },
    ...{ symbols: symbolsIn(body, symbols), code: null, reason: null, message: null },
  }
}

/** A refusal is about the symbols that its sentence names. */
function symbolsNamed(message: string, { names }: SymbolsView): readonly string[] {
  const words = new Set(message.split(/[\s,;:()]+/).map((each) => each.replace(/\.$/, "")))
  return Object.values(names).filter((name) => words.has(name))
}
