import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { LimitUse } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import {
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  wholeDecimal,
  type Decimal,
} from "../../venue/decimal.ts"
import { type ActiveSet, type Acts, viewOf } from "../active/active-set.ts"
import { dayMs } from "../../std/time/duration.ts"
import type { Client } from "../ledger/records/bindings.ts"
import type { Policy } from "../policy/terms.ts"
import { placedLimits, limitUses } from "../status/limit-use.ts"
import type { StatusSources } from "../status/sources.ts"

/** `GET /limits`: those of the limits that this client's own requests count in. */
export function limitsOfClient(client: Client, sources: StatusSources): readonly LimitUse[] {
  const set = viewOf(client.keys[0], sources.active())
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

/** The calls of `countersign limits raise`. */
export function limitMethods(acts: Acts) {
  return {
    raiseLimit: (params: AdminParams["raiseLimit"]) => raiseLimit(params, acts),
    endRaise: (params: AdminParams["endRaise"]) => endRaise(params, acts),
  }
}

/**
 * `countersign limits raise`: more room for a while, which ends by itself, in place of an earlier raise. A limit goes by
 * its name, or by `policy/name` where two policies have one of that name.
 *
 * @throws {Fault} `name_unknown`, `usage` when it wouldn't be more.
 */
async function raiseLimit(
  { limit: name, to: text, forMs, reason, agreed }: AdminParams["raiseLimit"],
  acts: Acts,
): Promise<AdminResults["raiseLimit"]> {
  const limits = namedLimits(name, acts)
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
  const question = limits.flatMap((limit) => questionsOf(limit, to, forMs)).join(" ")
  if (question !== "" && agreed !== question) return { question }
  const until = acts.now() + forMs
  // By full names: a limit that comes into force later under the same name isn't meant.
  const raise = { act: "limit_raised", to: formatDecimal(to), until, reason } as const
  await Promise.all(limits.map(({ fullName }) => acts.act({ ...raise, limit: fullName })))
  return { limit: name, to: raise.to, until }
}

/** `countersign limits raise --end`: from now on what the files say. @throws {Fault} `name_unknown`. */
async function endRaise(
  { limit: name }: AdminParams["endRaise"],
  acts: Acts,
): Promise<AdminResults["endRaise"]> {
  const nowMs = acts.now()
  const limits = acts
    .active()
    .raises.filter(({ until }) => nowMs < until)
    .map(({ limit }) => limit)
    .filter((limit) => limit === name || limit.endsWith(`/${name}`))
  if (limits.length === 0) {
    throw new Fault(
      "name_unknown",
      `No limit named ${name} is raised; countersign status names those that are.`,
    )
  }
  await Promise.all(limits.map((limit) => acts.act({ act: "limit_raise_ended", limit })))
  return { limits }
}

function namedLimits(name: string, acts: Acts) {
  return placedLimits(acts.active().policies)
    .map(({ policy, limit }) => ({ limit, fullName: `${policy.name}/${limit.name}` }))
    .filter(({ limit, fullName }) => limit.name === name || fullName === name)
}

/** More than so many times what the files allow, or for longer, is more likely a slip than meant. */
const maxTimes = 10n
const longMs = 7 * dayMs

function questionsOf(
  { limit, fullName }: ReturnType<typeof namedLimits>[number],
  to: Decimal,
  forMs: number,
): string[] {
  const isMuch = compareDecimals(to, multiplyDecimals(limit.max, wholeDecimal(maxTimes))) > 0
  const why = [
    ...(isMuch ? [`over ${maxTimes} times as much`] : []),
    ...(forMs > longMs ? ["for over 7 days"] : []),
  ]
  if (why.length === 0) return []
  const { max } = limit
  return [
    `The files allow ${formatDecimal(max)} by ${fullName}; raise it to ${formatDecimal(to)}, ${why.join(", ")}?`,
  ]
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
