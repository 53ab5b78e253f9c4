import type { Refusal } from "../link/refusal.ts"
import type { Address } from "../venue/address.ts"
import type { ActiveSet } from "./active-set.ts"
import { hasEnded, type Client, type KeyEntry } from "./bindings.ts"
import { freezeOf, frozen } from "./freeze.ts"
import type { Circumstances, Decision, JudgedRequest, Verdict } from "./policy/decision.ts"
import { judge } from "./policy/judge.ts"
import { reducesRisk } from "./policy/reduces-risk.ts"
import type { ReadRequest } from "./read-request.ts"
import { policyDenied } from "./refuse.ts"
import { referencePrice } from "./reference-prices.ts"

/** A decision, its "no" as the refusal that goes out. */
export type Judgement =
  | Extract<Decision, { readonly kind: "allow" | "hold" }>
  | {
      readonly kind: "refuse"
      readonly refusal: Refusal
      readonly verdicts: () => readonly Verdict[]
    }

/** Judges a read request by policy, after the invariants that need the clock. */
export function judgeRequest(
  request: ReadRequest,
  client: Client,
  { set, nowMs }: { readonly set: ActiveSet; readonly nowMs: number },
): Judgement {
  const refusal = refuseFrozen(request, client, set) ?? refuseExpiringAgent(request, set, nowMs)
  if (refusal !== undefined) return { kind: "refuse", refusal, verdicts: () => [] }
  const decision = judge(
    judgedRequest(request, client),
    set.policies,
    circumstancesOf(request.key, set, nowMs),
  )
  if (decision.kind !== "refuse") return decision
  const { denial, verdicts } = decision
  return { kind: "refuse", refusal: policyDenied(denial), verdicts }
}

/** What policy is told of a request. */
export function judgedRequest(request: ReadRequest, client: Client): JudgedRequest {
  return {
    client: client.name,
    key: { name: request.key.name, address: request.key.address, role: request.key.role },
    operation: request.endpoint.id,
    target: request.parties.target,
    body: request.business,
    payload: request.payload,
    expiresInMs: request.ttlMs,
  }
}

/** What policy is told of everything else. */
export function circumstancesOf(key: KeyEntry, set: ActiveSet, nowMs: number): Circumstances {
  return {
    profile: set.profile,
    nowMs,
    heldAgents: heldAgents(key, set),
    referencePrice: (symbolId) => referencePrice(symbolId, set, nowMs),
    raises: set.raises
      .filter(({ untilMs }) => nowMs < untilMs)
      .map(({ limit, to }) => ({ limit, max: to })),
  }
}

function refuseFrozen(
  { key, endpoint, payload }: ReadRequest,
  client: Client,
  { freezes, profile }: ActiveSet,
): Refusal | undefined {
  if (freezes.length === 0) return undefined
  const request = {
    client: client.name,
    key: key.name,
    reducesRisk: reducesRisk(endpoint.id, payload, profile),
  }
  const freeze = freezeOf(request, freezes)
  return freeze === undefined ? undefined : frozen(freeze)
}

function refuseExpiringAgent(
  request: ReadRequest,
  set: ActiveSet,
  nowMs: number,
): Refusal | undefined {
  const { key, endpoint, payload } = request
  if (key.role !== "agent" || key.expiresAtMs === null) return undefined
  if (nowMs < key.expiresAtMs - set.config.stopBeforeMs) return undefined
  if (reducesRisk(endpoint.id, payload, set.profile)) return undefined
  return {
    code: "agent_expiring",
    message: `The approval of the agent key ${key.name} ends soon or has ended; until it is renewed, the key signs only cancels and reduce-only orders.`,
    data: { key: key.name, expires_at: key.expiresAtMs },
  }
}

function heldAgents(signer: KeyEntry, set: ActiveSet): ReadonlySet<Address> {
  const agents = [...set.keys.values()].filter(
    (key) => key.role === "agent" && key.wallet === signer.name && !hasEnded(key),
  )
  return new Set(agents.map((key) => key.address))
}
