import { countedAt } from "./records/request-row.ts"
import type { DecideFrom } from "./decide.ts"
import type { ActRow, OutcomeRow, RequestRow } from "./records/row.ts"
import type { Hearing, Written } from "./store/store.ts"

type Following = Pick<DecideFrom, "state" | "marks" | "watchers">

/** Follows what other hosts append, as a start would. Refusals, shadows and the like change nothing. */
export function follower(from: Following): Hearing["followed"] {
  return (row) => {
    if (row.kind === "outcome") return followOutcome(row, from)
    if (row.kind === "request") followRequest(row, from)
    if (row.kind === "act") followAct(row, from)
    return undefined
  }
}

/** Marks that know the ledger go on under its new name; one that waits does so for this host's own operator. */
function followAct(row: ActRow, { state, marks }: Following): void {
  state.acted(row)
  if (row.act !== "restore_accepted" || marks.waiting().length > 0) return
  marks.accept(row.ledger).catch(() => undefined) // where it can't be written, it waits from the next start on
}

function followRequest(row: RequestRow, { state, marks, watchers }: Following): void {
  state.followed(row)
  // Of a signer that this host has too: its mark knows of each nonce. Where it can't be written, the marks say so.
  marks.cover(row.signer, row.nonce).catch(() => undefined)
  for (const watcher of watchers) watcher.followed?.(row)
}

function followOutcome(row: OutcomeRow, { state }: Following) {
  const release = state.limits.expectRelease(row, countedAt(row))
  return (written: Written) =>
    release.heard(written.kind === "written" ? written.released : undefined)
}
