import { z } from "zod"

import type { AdminParams, AdminResults } from "../link/methods.ts"
import type { LimitUse } from "../link/views.ts"
import { Fault } from "../std/fault.ts"
import { compareDecimals, formatDecimal, maxDecimal, parseDecimal } from "../venue/decimal.ts"
import type { ActiveSet } from "./active-set.ts"
import type { Client } from "./bindings.ts"
import type { MeterUse } from "./ledger/meters.ts"
import type { Limit, Policy } from "./policy/policy.ts"
import type { Vault } from "./vault.ts"

/** `countersign limits show`: what of every limit is used, for each that it was ever counted for. */
export function listLimits(vault: Vault): readonly LimitUse[] {
  const nowMs = vault.clock.nowMs()
  const set = vault.active()
  return limitUses(set, vault.ledger.usage(nowMs), nowMs)
}

/** `GET /limits`: those of the limits that this client's own requests count in. */
export function limitsOfClient(client: Client, vault: Vault): readonly LimitUse[] {
  const keys = client.keys.flatMap((name) => vault.active().keys.get(name) ?? [])
  const own = {
    client: [client.name],
    key: keys.map(({ name }) => name),
    account: keys.flatMap(({ address, targets }) => [address, ...targets]),
    symbol: [""],
    all: [""],
  }
  return listLimits(vault).filter(
    (use) => use.for === "" || own[use.per].some((each) => each === use.for),
  )
}

/**
 * `countersign limits raise`: more room for a while, which ends by itself.
 *
 * @throws {Fault} `name_unknown`, `usage` when it wouldn't be more.
 */
export async function raiseLimit(
  { limit: name, to: text, forMs, reason }: AdminParams["raiseLimit"],
  vault: Vault,
): Promise<AdminResults["raiseLimit"]> {
  const limits = namedLimits(vault.active(), name)
  if (limits.length === 0) {
    throw new Fault(
      "name_unknown",
      `No policy has a limit named ${name}; countersign limits show lists them.`,
    )
  }
  const to = parseDecimal(text)
  if (to === undefined || limits.some(({ limit }) => compareDecimals(to, limit.max) <= 0)) {
    const maxima = limits.map(({ limit }) => formatDecimal(limit.max)).join(", ")
    throw new Fault("usage", `--to must be a decimal above what the policy allows (${maxima}).`)
  }
  const untilMs = vault.clock.nowMs() + forMs
  await vault.act({ act: "limit_raised", limit: name, to, untilMs, reason })
  return { limit: name, to: formatDecimal(to), until: untilMs }
}

type PlacedLimit = { readonly policy: Policy; readonly limit: Limit }

function allLimits({ policies }: ActiveSet): readonly PlacedLimit[] {
  return policies.flatMap((policy) => policy.limits.map((limit) => ({ policy, limit })))
}

/** By its name, or by `policy/name` where two policies have one of that name. */
function namedLimits(set: ActiveSet, name: string): readonly PlacedLimit[] {
  return allLimits(set).filter(
    ({ policy, limit }) => limit.name === name || `${policy.name}/${limit.name}` === name,
  )
}

function limitUses(set: ActiveSet, uses: readonly MeterUse[], nowMs: number): readonly LimitUse[] {
  return allLimits(set).flatMap((placed) => {
    const own = uses.flatMap((use) => readMeter(placed.limit, use))
    const counted = own.length > 0 ? own : [{ for: "", of: "", used: "0" }]
    return counted.map((use) => ({ ...limitOf(placed, set, nowMs), ...use }))
  })
}

function limitOf(
  { policy, limit }: PlacedLimit,
  { raises }: ActiveSet,
  nowMs: number,
): Omit<LimitUse, "for" | "of" | "used"> {
  const raised = raises.filter(
    (raise) =>
      nowMs < raise.untilMs &&
      (raise.limit === limit.name || raise.limit === `${policy.name}/${limit.name}`),
  )
  return {
    policy: policy.name,
    limit: limit.name,
    file: policy.file,
    line: limit.line,
    mode: limit.mode,
    per: limit.per,
    max: formatDecimal(maxDecimal(limit.max, ...raised.map(({ to }) => to))),
  }
}

/** A meter's name ends in JSON that says for whom, and of what, it counts. */
const counted = z.tuple([z.string(), z.string()])

function readMeter({ definition }: Limit, { meter, used }: MeterUse) {
  if (!meter.startsWith(`${definition}:`)) return []
  const [who, what] = counted.parse(JSON.parse(meter.slice(definition.length + 1)))
  return [{ for: who, of: what, used: formatDecimal(used) }]
}
