import type { Refusal } from "../link/refusal.ts"
import { addDecimals, formatDecimal, maxDecimal, zero, type Decimal } from "../venue/decimal.ts"
import type { ActiveSet } from "./active-set.ts"
import type { Client } from "./bindings.ts"
import { canonicalBody } from "./fill-in.ts"
import type { HoldBinding } from "./ledger/hold.ts"
import type { Ledger } from "./ledger/ledger.ts"
import type { OrderSize } from "./policy/claim.ts"
import type { Decision } from "./policy/decision.ts"
import type { ReadRequest } from "./read-request.ts"

type Held = Extract<Decision, { readonly kind: "hold" }>
type Allowed = Extract<Decision, { readonly kind: "allow" | "hold" }>
type At = { readonly ledger: Ledger; readonly nowMs: number }

/** Whether a request may go on: no hold stops it, or a person released it and the release is unused. */
export type Release =
  | { readonly kind: "free"; readonly use: { readonly hold: string } | undefined }
  | { readonly kind: "missing"; readonly held: Held }

/** What a release is given for: this very request of this client. */
export function bindingOf(
  request: ReadRequest,
  { name }: Client,
  { profile }: ActiveSet,
): HoldBinding {
  return {
    client: name,
    key: request.key.name,
    operation: request.endpoint.id,
    target: request.parties.target ?? null,
    body: canonicalBody(request, profile),
  }
}

/** Looks for the release that a held request needs. Within the turn of judging: it doesn't wait. */
export function releaseFor(
  decision: Allowed,
  binding: HoldBinding,
  { ledger, nowMs }: At,
): Release {
  if (decision.kind === "allow") return { kind: "free", use: undefined }
  const hold = ledger.findRelease(binding, nowMs)
  return hold === undefined ? { kind: "missing", held: decision } : { kind: "free", use: { hold } }
}

/** Puts a request before a person, and says to the bot that it waits. Asking again opens nothing new. */
export async function holdRequest(
  { hold, sizes }: Held,
  binding: HoldBinding,
  at: At,
): Promise<Refusal> {
  const { client, key, operation, target, body } = binding
  const opened = await at.ledger.openHold(
    {
      ...{ client, key, operation, target, body },
      policy: hold.policy,
      rule: hold.name,
      worst: worstCaseText(sizes),
      expiresAtMs: at.nowMs + hold.ttlMs,
    },
    at.nowMs,
  )
  if (!opened.ok) return opened.error
  const { id, expiresAtMs } = opened.value
  const where = `${hold.policy}/${hold.name}, ${hold.file}:${hold.line}`
  return {
    code: "approval_required",
    message: `A person must release this request (${where}): countersign held release ${id}. Then send it again.`,
    data: { hold: id, expires_at: expiresAtMs },
  }
}

/** What orders can cost at worst, in words, for the person who decides. */
export function worstCaseText(sizes: readonly OrderSize[]): string {
  if (sizes.length === 0) return "no order that can be read"
  const costs = sizes.map(worstOf)
  const known = costs.filter((cost) => cost !== undefined)
  const sum = formatDecimal(known.reduce((total, cost) => addDecimals(total, cost), zero))
  const orders = sizes.length === 1 ? "one order" : `${sizes.length} orders`
  if (known.length === costs.length) return `${orders}, up to ${sum} in quote units`
  return `${orders}, more than ${sum} in quote units: ${costs.length - known.length} can't be sized`
}

/** The costliest of entry and legs; `undefined` when one of them can't be sized. */
function worstOf({ entry, legs }: OrderSize): Decimal | undefined {
  const parts = [entry, ...legs]
  const [first, ...others] = parts.filter((part) => part !== null)
  if (first === undefined || others.length + 1 < parts.length) return undefined
  return maxDecimal(first, ...others)
}
