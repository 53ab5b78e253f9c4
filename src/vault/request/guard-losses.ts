import { maxDecimal, zero } from "../../venue/decimal.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { GuardedAccount } from "../guards/accounts.ts"
import type { LossUnknown } from "../guards/guard.ts"
import { type Loss, lossBy } from "../guards/loss.ts"
import { guardStateName, type GuardState } from "../ledger/records/guard-rows.ts"
import { readDecimal } from "../ledger/records/prices.ts"
import type { LossBound, PlacedGuard } from "../policy/guard-terms.ts"

/** A guard that bounds losses. */
export type LossGuard = PlacedGuard & { readonly loss: LossBound }

export function boundsLoss(guard: PlacedGuard): guard is LossGuard {
  return guard.loss !== undefined
}

/** Its name for whoever reads the ledger. */
export function fullName({ policy, name }: Pick<PlacedGuard, "policy" | "name">): string {
  return `${policy}/${name}`
}

type JudgedBy = { readonly set: ActiveSet; readonly nowMs: number }
type Standing = Pick<ActiveSet, "marks" | "guards">

/** How it stands for an account, where it tripped or was allowed more. */
function stateOf(
  guard: LossGuard,
  { address: account }: Pick<GuardedAccount, "address">,
  { guards }: Standing,
): GuardState | undefined {
  const name = guardStateName({ guard: fullName(guard), account })
  return guards.find((each) => guardStateName(each) === name)
}

/** That it tripped, and nobody re-armed it; that of a day ends with the first reading of a later one, by no clock. */
export function tripOf(
  guard: LossGuard,
  account: Pick<GuardedAccount, "address">,
  set: Standing,
): GuardState | undefined {
  const state = stateOf(guard, account, set)
  if (state?.max !== null) return undefined
  const { window } = guard.loss
  const day =
    window.kind === "day" ? set.marks.get(account.address)?.days.get(window.zone) : undefined
  const isOver = state.until !== null && day !== undefined && day.fromMs >= state.until
  return isOver ? undefined : state
}

/** How a guard stands for an account, where it bounds losses. */
export function lossStanding(guard: PlacedGuard, account: GuardedAccount, by: JudgedBy) {
  if (!boundsLoss(guard)) return undefined
  return {
    trip: tripOf(guard, account, by.set),
    loss: () => lossNow(guard, account, by),
    allowance: allowanceOf(guard, account, by),
  }
}

/** What an account has lost by a guard's count, and may lose; by no reading that is old, or means something else by equity. */
export function lossNow(
  guard: LossGuard,
  account: GuardedAccount,
  { set, nowMs }: JudgedBy,
): Loss | LossUnknown {
  const marks = set.marks.get(account.address)
  const { equity, readAtMs } = account.last
  if (equity === undefined || marks === undefined) return "no_equity"
  if (marks.mapping !== set.profile.accountPoll?.mapping) return "equity_changed"
  if (nowMs - readAtMs > guard.loss.maxAgeMs) return "reading_old"
  const loss = lossBy(guard.loss, marks, equity)
  if (loss === undefined) return "no_equity"
  const allowance = allowanceOf(guard, account, { set, nowMs })
  return { ...loss, max: maxDecimal(loss.max, allowance ? readDecimal(allowance.max) : zero) }
}

/** What a person lets an account lose, and until when, where somebody does. */
function allowanceOf(guard: LossGuard, account: GuardedAccount, { set, nowMs }: JudgedBy) {
  const { until = null, max = null } = stateOf(guard, account, set) ?? {}
  return until !== null && max !== null && nowMs < until ? { until, max } : undefined
}
