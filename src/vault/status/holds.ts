import type { HoldView, SymbolsView } from "../../contract/bot-views.ts"
import type { ActiveSet, SetInForce } from "../active/active-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Hold } from "../ledger/records/hold.ts"

/** What waits for a person, and what is judged by. */
type Holds = SetInForce & { readonly ledger: Pick<Ledger, "holds"> }

/** `countersign held list`: what waits for a person, the soonest to expire first, and then what was decided, the last first. */
export function listHolds({ ledger, active, now }: Holds): readonly HoldView[] {
  const holds = ledger.holds(now()).map((hold) => holdView(hold, active()))
  const [waiting, decided] = [holds.filter(isPending), holds.filter((each) => !isPending(each))]
  return [...waiting.toSorted((a, b) => a.expires_at - b.expires_at), ...decided.toReversed()]
}

/** Whether a person can still decide it. */
export function isPending({ state }: HoldView): boolean {
  return state === "pending"
}

/** So many fit a line of the socket, beside all else in `status`, with so much of their bodies. */
const shownHolds = 50
const shownBodyBytes = 48 * 1_024

/** What waits for a person, the soonest to expire first, and could still be signed. A body that doesn't fit is empty. */
export function waitingHolds(holds: Holds): readonly HoldView[] {
  let left = shownBodyBytes
  return listHolds(holds)
    .filter((hold) => isPending(hold) && whyNever(hold, holds.active()) === undefined)
    .slice(0, shownHolds)
    .map((hold) => {
      const bytes = Buffer.byteLength(JSON.stringify(hold.body))
      if (bytes > left) return { ...hold, body: "" }
      left -= bytes
      return hold
    })
}

/** Why what is held can't be signed whatever a person decides; `undefined` where it can. */
export function whyNever(hold: HoldView, { usableKeys, clients }: ActiveSet): string | undefined {
  if (!usableKeys.has(hold.key)) return `The key ${hold.key} never signs again`
  const client = clients.find(({ name }) => name === hold.client)
  const isGone = client === undefined || client.token_hash === null
  return isGone ? `The client ${hold.client} is revoked` : undefined
}

/** A held request as a person sees it. */
export function holdView(hold: Hold, { profile }: ActiveSet): HoldView {
  return {
    id: hold.hold,
    state: hold.state,
    client: hold.client,
    key: hold.key,
    operation: hold.operation,
    target: hold.target,
    policy: hold.policy,
    rule: hold.rule,
    body: hold.body,
    shape: profile.endpoints.get(hold.operation)?.shape ?? { kind: "opaque" },
    worst_case: hold.worst,
    expires_at: hold.expires_at,
  }
}

/** What of the profile tells how orders are meant. */
export function symbolsView({ profile }: ActiveSet): SymbolsView {
  const { symbols, defaultMarketOrderType } = profile
  const entries = [...symbols.byId.values()]
  return {
    names: Object.fromEntries(entries.map(({ id, name }) => [id, name])),
    quotes: Object.fromEntries(entries.map(({ id, quote }) => [id, quote])),
    default_market_order_type: defaultMarketOrderType ?? null,
  }
}
