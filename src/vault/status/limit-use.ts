import * as z from "zod"

import type { RaiseView, StandingLimit } from "../../contract/views.ts"
import type { LimitUse } from "../../contract/bot-views.ts"
import { formatDecimal, maxDecimal } from "../../venue/decimal.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { readDecimal } from "../ledger/records/prices.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { MeterUse } from "../ledger/meters/meters.ts"
import type { Limit, Policy } from "../policy/terms.ts"
import type { StatusSources } from "./sources.ts"

/** `countersign limits show`: what of every limit is used, for each that it was ever counted for. */
export function listLimits(sources: StatusSources): readonly StandingLimit[] {
  const nowMs = sources.now()
  const { policies, raises } = sources.active()
  return limitUses(policies, sources, () => true).map((use) => {
    const raise = raisesOf(use, raises, nowMs).find(({ to }) => to === use.max)
    return { ...use, raised_until: raise?.until ?? null }
  })
}

/** The raises that stand, also those that give nothing at the moment. */
export function listRaises({ active, now }: StatusSources): readonly RaiseView[] {
  const [{ policies, raises }, nowMs] = [active(), now()]
  const maxima = new Map(
    placedLimits(policies).map(({ policy, limit }) => [`${policy.name}/${limit.name}`, limit.max]),
  )
  return raises
    .filter(({ until }) => nowMs < until)
    .map(({ limit, to, until }) => {
      const max = maxima.get(limit)
      return { limit, to, until, max: max ? formatDecimal(max) : null }
    })
}

export function placedLimits(policies: readonly Policy[]) {
  return policies.flatMap((policy) => policy.limits.map((limit) => ({ policy, limit })))
}

/** One for each that a limit counts for and `isShown` admits; a limit of which there is none shows that nothing is used. */
export function limitUses(
  policies: readonly Policy[],
  { active, ledger, now }: StatusSources,
  isShown: (limit: Limit, who: string) => boolean,
): readonly LimitUse[] {
  const nowMs = now()
  const uses = ledger.usage(nowMs)
  return placedLimits(policies).flatMap((placed) => {
    const { limit } = placed
    const read = uses.flatMap((use) => readMeter(limit, use))
    const shown = read.filter((use) => isShown(limit, use.for))
    const counted = shown.length > 0 ? shown : [{ for: "", of: "", used: "0" }]
    return counted.map((use) => ({ ...limitOf(placed, active(), nowMs), ...use }))
  })
}

function limitOf(
  { policy, limit }: ReturnType<typeof placedLimits>[number],
  { raises }: ActiveSet,
  nowMs: LedgerTime,
): Omit<LimitUse, "for" | "of" | "used"> {
  const raised = raisesOf({ policy: policy.name, limit: limit.name }, raises, nowMs)
  return {
    policy: policy.name,
    limit: limit.name,
    file: policy.file,
    line: limit.line,
    mode: limit.mode,
    per: limit.per,
    max: formatDecimal(maxDecimal(limit.max, ...raised.map(({ to }) => readDecimal(to)))),
  }
}

/** Those of the raises that hold now; a limit is named by itself, or with its policy. */
function raisesOf(
  { policy, limit }: Pick<LimitUse, "policy" | "limit">,
  raises: ActiveSet["raises"],
  nowMs: number,
): ActiveSet["raises"] {
  const names = [limit, `${policy}/${limit}`]
  return raises.filter((raise) => nowMs < raise.until && names.includes(raise.limit))
}

/** A meter's name ends in JSON that says for whom, and of what, it counts. */
const counted = z.tuple([z.string(), z.string()])

function readMeter({ definition }: Limit, { meter, used }: MeterUse) {
  if (!meter.startsWith(`${definition}:`)) return []
  const [who, what] = counted.parse(JSON.parse(meter.slice(definition.length + 1)))
  return [{ for: who, of: what, used: formatDecimal(used) }]
}
