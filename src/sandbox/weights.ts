// The weights of the interface's tables.

import type { Body } from "./state/fields.ts"

/** What a write weighs against the address budget, by its body. */
export type AddressWeight = (body: Body) => number

/** What explorer reads weigh against the IP budget. */
export const explorerWeight = 40
/** What other reads weigh. */
export const readWeight = 2
const postWeight = 1

/** Always the same weight. */
export function flat(weight: number): AddressWeight {
  return () => weight
}

/** `1 + floor(batch_length / 10)` with the length of the list `name`; what isn't a list counts as one item. */
export function perItem(name: string): AddressWeight {
  return (body) => {
    const items = body[name]
    return 1 + Math.floor((Array.isArray(items) ? items.length : 1) / 10)
  }
}

/** What a request weighs against the IP budget. Methods other than GET and POST count as reads: invented. */
export function ipWeight(method: string, path: string): number {
  if (method === "POST") return postWeight
  return path.startsWith("/v1/explorer/") ? explorerWeight : readWeight
}
