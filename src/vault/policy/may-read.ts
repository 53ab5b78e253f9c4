import { coversPath } from "../../venue/path-pattern.ts"
import type { Policy } from "./policy.ts"

/** Who reads: a client, and the key that it names if it names one. */
export type Reader = { readonly client: string; readonly key?: string }

/**
 * Whether some policy for this reader lets it read a path of the venue, given without its query. A
 * policy for certain keys lets nobody read who names none.
 */
export function mayRead(policies: readonly Policy[], reader: Reader, path: string): boolean {
  return policies.some(
    (policy) => isFor(policy, reader) && policy.reads.some((pattern) => coversPath(pattern, path)),
  )
}

function isFor({ appliesTo: { clients, keys } }: Policy, { client, key }: Reader): boolean {
  const isClient = clients?.includes(client) ?? true
  return isClient && (keys === undefined || (key !== undefined && keys.includes(key)))
}
