import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { LimitUse } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { compareDecimals, formatDecimal, parseDecimal } from "../../venue/decimal.ts"
import type { ActiveSet, Acts } from "../active/active-set.ts"
import type { Client } from "../ledger/records/bindings.ts"
import type { Policy } from "../policy/terms/policy.ts"
import { type PlacedLimit, placedLimits, limitUses } from "../status/limit-use.ts"
import type { StatusSources } from "../status/sources.ts"

/** `GET /limits`: those of the limits that this client's own requests count in. */
export function limitsOfClient(client: Client, sources: StatusSources): readonly LimitUse[] {
  const set = sources.active()
  const keys = client.keys.flatMap((name) => set.keys.get(name) ?? [])
  const own = {
    client: [client.name],
    key: keys.map(({ name }) => name),
    account: keys.flatMap(({ address, targets }) => [address, ...targets]),
    symbol: [""],
    all: [""],
  } satisfies Record<LimitUse["per"], readonly string[]>
  return limitUses(policiesFor(client, set), sources, ({ per }, who) =>
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
  acts: Acts,
): Promise<AdminResults["raiseLimit"]> {
  const limits = namedLimits(acts.active(), name)
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
  const untilMs = acts.now() + forMs
  await acts.act({ act: "limit_raised", limit: name, to, untilMs, reason })
  return { limit: name, to: formatDecimal(to), until: untilMs }
}

/** By its name, or by `policy/name` where two policies have one of that name. */
function namedLimits(set: ActiveSet, name: string): readonly PlacedLimit[] {
  return placedLimits(set.policies).filter(
    ({ policy, limit }) => limit.name === name || `${policy.name}/${limit.name}` === name,
  )
}

/** The policies that are for a client, whichever of its keys it uses. */
function policiesFor(
  { name, keys }: Pick<Client, "name" | "keys">,
  { policies }: Pick<ActiveSet, "policies">,
): readonly Policy[] {
  return policies.filter(
    ({ appliesTo: { clients, keys: only } }) =>
      (clients?.includes(name) ?? true) && (only?.some((key) => keys.includes(key)) ?? true),
  )
}
