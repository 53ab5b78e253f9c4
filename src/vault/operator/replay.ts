import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { ReplayedRefusal } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { problemText } from "../../std/yaml-file.ts"
import { boundSet, type ActiveSet, type SetInForce, datedPrices } from "../active/active-set.ts"
import { parseFileSet } from "../config/file-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { openMeters, type Meters } from "../ledger/meters/meters.ts"
import { isReserved } from "../ledger/records/bindings.ts"
import { countedAt } from "../ledger/records/request-row.ts"
import type { RequestRow, ShadowRow } from "../ledger/records/row.ts"
import { judge } from "../policy/judge.ts"
import { recordedTime } from "../process/clock.ts"
import { circumstancesOf } from "../request/judge-request.ts"
import { judgedRecord } from "../request/recount.ts"

/** More than a person reads; the count tells the rest. */
const maxListed = 500

/** What was decided, and the set that the other files are put into. */
type Past = SetInForce & { readonly ledger: Pick<Ledger, "history" | "shadows"> }

/**
 * Judges the requests of the past by another set of files: those that were signed, with its limits
 * counted from the first of them on, and shadows, each by itself. Nothing is signed, recorded or put in
 * force.
 *
 * Prices of the past aren't recorded, so orders are sized by the latest ones known, however old.
 *
 * @throws {Fault} `config_invalid` when the other files have problems.
 */
export async function replay(
  { sinceMs, texts }: AdminParams["replay"],
  { active, now, ledger }: Past,
): Promise<AdminResults["replay"]> {
  const files = parseFileSet(texts)
  if (!files.ok) throw new Fault("config_invalid", files.error.map(problemText).join("\n"))
  const set = boundSet(files.value, active())
  const sinceThenMs = now() - sinceMs
  const meters = openMeters()
  const tally = { requests: 0, refusals: 0, refused: [] as ReplayedRefusal[] }
  const count = (refusal: ReplayedRefusal | undefined): void => {
    tally.requests += 1
    if (refusal === undefined) return
    tally.refusals += 1
    if (tally.refused.length < maxListed) tally.refused.push(refusal)
  }
  for await (const row of ledger.history(sinceThenMs)) {
    // What the operator or a panic asked for was judged by no policy.
    if (!isReserved(row.client)) count(refusalNow(row, set, meters))
  }
  for await (const row of ledger.shadows(sinceThenMs)) {
    // What was only asked about took no room, so its limits are asked for it alone.
    count(refusalNow(row, set, openMeters()))
  }
  return tally
}

function refusalNow(
  row: RequestRow | ShadowRow,
  set: ActiveSet,
  meters: Meters,
): ReplayedRefusal | undefined {
  const { id, client, operation, at_ms: at } = row
  const countedAtMs = countedAt(row)
  const told = { record: id, client, operation, at }
  const judged = judgedRecord(row, set)
  if (judged === undefined) return { ...told, reason: "key_gone", policy: null, rule: null }
  const circumstances = {
    ...circumstancesOf(judged.key, set, recordedTime(countedAtMs)),
    referencePrice: (symbolId: number) => datedPrices(symbolId, set)[0]?.value,
  }
  const decision = judge(judged.request, set.policies, circumstances)
  if (decision.kind === "refuse") {
    const { reason, policy, rule } = decision.denial
    return { ...told, reason, policy, rule }
  }
  const spent = meters.take(decision.claims, countedAtMs)
  if (spent === undefined) return undefined
  const { policy, limit, isRepeat } = spent.claim
  return { ...told, reason: isRepeat ? "repeated_within" : "limit_exhausted", policy, rule: limit }
}
