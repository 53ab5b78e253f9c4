import { hash } from "node:crypto"

/** Random choices that a seed makes again. */
export type SeededRandom = {
  /** A whole number from 0 to `end`, without `end`. */
  below(end: number): number
  isOneIn(count: number): boolean
  pick<Item>(items: readonly Item[]): Item
  shuffled<Item>(items: readonly Item[]): readonly Item[]
}

/** Makes choices from the hashes of a seed and a count. */
export function seededRandom(seed: string): SeededRandom {
  let count = 0
  const below = (end: number): number => {
    count += 1
    return Number.parseInt(hash("sha256", `${seed}/${count}`).slice(0, 12), 16) % end
  }
  return {
    below,
    isOneIn: (of) => below(of) === 0,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error("there is nothing to pick from")
      return item
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: below(1_000_000) }))
        .sort((one, other) => one.at - other.at)
        .map(({ item }) => item),
  }
}
