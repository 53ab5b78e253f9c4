import type { Policy } from "./policy.ts"

/**
 * Whether a policy is for a client and the key that signs, or that a read names. One for certain keys is for no
 * read that names none.
 */
export function appliesTo(
  { appliesTo: { clients, keys } }: Policy,
  client: string,
  key: string | undefined,
): boolean {
  const isClient = clients?.includes(client) ?? true
  const isKey = keys === undefined || (key !== undefined && keys.includes(key))
  return isClient && isKey
}
