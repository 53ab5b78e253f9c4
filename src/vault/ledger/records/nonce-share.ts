/** How many nonces are shared out between those who might give one out at the same time. */
export const nonceCycle = 64

/** Nonces whose rest by {@link nonceCycle} is one of these. */
export type NonceShare = { readonly first: number; readonly last: number }

/** Of hosts that give them out in turn, each having followed the others. */
export const turnNonces: NonceShare = { first: 0, last: 47 }

/** Of a host that can't follow the others; `slot` is 0 to 15. */
export function isolatedNonces(slot: number): NonceShare {
  const own = turnNonces.last + 1 + slot
  return { first: own, last: own }
}
