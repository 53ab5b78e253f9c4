import type { JudgedRequest } from "./decision.ts"
import type { Policy } from "./policy.ts"

/** Whether a policy is for the client and the key of a request. */
export function appliesTo(
  { appliesTo: { clients, keys } }: Policy,
  request: JudgedRequest,
): boolean {
  const isClient = clients?.includes(request.client) ?? true
  const isKey = keys?.includes(request.key.name) ?? true
  return isClient && isKey
}
