import { sha256 } from "@noble/hashes/sha2.js"

import { toHex, utf8 } from "../../std/bytes.ts"
import { one, wholeDecimal } from "../../venue/decimal.ts"
import type { JsonObject } from "../../venue/json.ts"
import { canonicalJson } from "../../venue/signing-hash.ts"
import type { Subject, JudgedRequest } from "./match/judged-request.ts"
import { accountOf } from "./match/matchers.ts"
import type { Claim } from "./terms/claim.ts"
import type { Mismatch } from "./terms/decision.ts"
import type { Policy } from "./terms/policy.ts"

// What a file asks so that nothing is signed twice by mistake.

/** Why `require_idempotency` refuses a request, a cancel too. */
export function withoutKey({ operation }: JudgedRequest): Mismatch {
  return {
    reason: "idempotency_key_required",
    asked: `${operation} without an Idempotency-Key`,
    allowed: "every request, cancels too, with an Idempotency-Key of its own",
  }
}

/** How many requests of one client are remembered at once: its share of the memory, some 10 MB. */
const maxRemembered = wholeDecimal(5_000n)

/**
 * What `repeat_within` counts of a request: one of its very body, and one of all that its client has remembered. As limits' claims they
 * are taken in the turn that signs, and counted again from the records at a start. With an idempotency key it is remembered and not refused.
 */
export function repeatClaims(
  { name: policy, file }: Policy,
  { name: limit, line, ms }: NonNullable<Policy["repeatWithin"]>,
  subject: Subject,
): readonly Claim[] {
  const { client, key, operation, lane, isKeyed } = subject.request
  if (lane === "cancel") return []
  const same = [client, key.name, operation, accountOf(subject.request), unnamed(subject)]
  const counted = {
    ...{ policy, limit, file, line, amount: one, release: "never" as const },
    window: { kind: "rolling", lengthMs: ms } as const,
  }
  const meter = `repeat:${toHex(sha256(utf8(JSON.stringify(same))))}`
  return [
    { ...counted, meter, max: one, mode: isKeyed ? "observe" : "enforce", isRepeat: true },
    { ...counted, meter: `repeats:${client}`, max: maxRemembered, mode: "enforce" },
  ]
}

/** The canonical body without the names that a bot gives to new orders; elsewhere they say which order is meant. */
function unnamed({ request: { operation, body }, circumstances: { profile } }: Subject): string {
  const isNew = operation === "placeOrder" || operation === "placeBatch"
  const text = JSON.stringify(body, (name, value: unknown) =>
    isNew && name === "client_order_id" ? undefined : value,
  )
  const form = { ...profile.canonicalForm, sort: "every_depth" } as const
  return canonicalJson(JSON.parse(text) as JsonObject, form) // a JsonObject's own text
}
