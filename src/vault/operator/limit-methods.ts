import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { LimitUse } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { compareDecimals, formatDecimal, parseDecimal } from "../../venue/decimal.ts"
import type { ActiveSet, Acts } from "../active/active-set.ts"
import type { Client } from "../ledger/records/bindings.ts"
import type { Policy } from "../policy/terms/policy.ts"
import { placedLimits, limitUses } from "../status/limit-use.ts"
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
 * `countersign limits raise`: more room for a while, which ends by itself. A limit goes by its name, or by `policy/name`
 * where two policies have one of that name.
 *
 * @throws {Fault} `name_unknown`, `usage` when it wouldn't be more.
 */
export async function raiseLimit(
  { limit: name, to: text, forMs, reason }: AdminParams["raiseLimit"],
  acts: Acts,
): Promise<AdminResults["raiseLimit"]> {
  const limits = placedLimits(acts.active().policies)
    .map(({ policy, limit }) => ({ limit, fullName: `${policy.name}/${limit.name}` }))
    .filter(({ limit, fullName }) => limit.name === name || fullName === name)
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
  // By full names: a limit that comes into force later under the same name isn't meant.
  const raise = { act: "limit_raised", to, untilMs, reason } as const
  await Promise.all(limits.map(({ fullName }) => acts.act({ ...raise, limit: fullName })))
  return { limit: name, to: formatDecimal(to), until: untilMs }
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
