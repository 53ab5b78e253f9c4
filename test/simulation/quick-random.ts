/** Random choices that a seed makes again, quicker than by hashes: a history takes hundreds. */
export type QuickRandom = {
  /** A whole number from 0 to `end`, without `end`. */
  below(end: number): number
  isOneIn(count: number): boolean
  pick<Item>(items: readonly Item[]): Item
  /** What one of `kinds` makes, each as often as its weight says. */
  weighed<Make>(kinds: readonly { readonly weight: number; readonly make: Make }[]): Make
}

/** mulberry32: 32 bits of state, good enough to choose events by. */
export function quickRandom(seed: number): QuickRandom {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * end)
  }
  return {
    below,
    isOneIn: (count) => below(count) === 0,
    pick: (items) => items[below(items.length)]!,
    weighed(kinds) {
      let left = below(kinds.reduce((sum, { weight }) => sum + weight, 0))
      const kind = kinds.find(({ weight }) => (left -= weight) < 0)
      return kind!.make
    },
  }
}
