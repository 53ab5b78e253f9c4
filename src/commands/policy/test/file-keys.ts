import type { Named, Policy } from "../../../vault/policy/terms/policy.ts"

/** What a file asks of every request, by its own keys: cases and coverage name them as they do entries. */
export function fileKeys({ requireIdempotency, repeatWithin }: Policy): readonly Named[] {
  return [requireIdempotency, repeatWithin].filter((key) => key !== undefined)
}
