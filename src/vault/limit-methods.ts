import { z } from "zod"

import type { AdminParams, AdminResults } from "../link/methods.ts"
import type { LimitUse } from "../link/views.ts"
import { Fault } from "../std/fault.ts"
import { compareDecimals, formatDecimal, maxDecimal, parseDecimal } from "../venue/decimal.ts"
import type { ActiveSet } from "./active-set.ts"
import type { Client } from "./bindings.ts"
import type { MeterUse } from "./ledger/meters.ts"
import type { Limit, Policy } from "./policy/policy.ts"
import { policiesFor } from "./policies-for.ts"
import type { Vault } from "./vault.ts"

/** `countersign limits show`: what of every limit is used, for each that it was ever counted for. */
export function listLimits(vault: Vault): readonly LimitUse[] {
  return limitUses(vault.active().policies, vault, () => true)
}

/** `GET /limits`: those of the limits that this client's own requests count in. */
export function limitsOfClient(client: Client, vault: Vault): readonly LimitUse[] {
  const set = vault.active()
  const keys = client.keys.flatMap((name) => set.keys.get(name) ?? [])
  const own = {
    client: [client.name],
    key: keys.map(({ name }) => name),
    account: keys.flatMap(({ address, targets }) => [address, ...targets]),
    symbol: [""],
    all: [""],
  } satisfies Record<LimitUse["per"], readonly string[]>
  return limitUses(policiesFor(client, set), vault, ({ per }, who) =>
    own[per].some((each) => each === who),
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

function placedLimits(policies: readonly Policy[]): readonly PlacedLimit[] {
  return policies.flatMap((policy) => policy.limits.map((limit) => ({ policy, limit })))
}

/** By its name, or by `policy/name` where two policies have one of that name. */
function namedLimits(set: ActiveSet, name: string): readonly PlacedLimit[] {
  return placedLimits(set.policies).filter(
    ({ policy, limit }) => limit.name === name || `${policy.name}/${limit.name}` === name,
  )
}

/** One for each that a limit counts for and `isShown` admits; a limit of which there is none shows that nothing is used. */
function limitUses(
  policies: readonly Policy[],
  vault: Vault,
  isShown: (limit: Limit, who: string) => boolean,
): readonly LimitUse[] {
  const nowMs = vault.clock.nowMs()
  const uses = vault.ledger.usage(nowMs)
  return placedLimits(policies).flatMap((placed) => {
    const { limit } = placed
    const read = uses.flatMap((use) => readMeter(limit, use))
    const shown = read.filter((use) => isShown(limit, use.for))
    const counted = shown.length > 0 ? shown : [{ for: "", of: "", used: "0" }]
    return counted.map((use) => ({ ...limitOf(placed, vault.active(), nowMs), ...use }))
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
