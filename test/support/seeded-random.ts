import { hash } from "node:crypto"

/** Random choices that a seed makes again. */
export type SeededRandom = {
  /** A whole number from 0 to `end`, without `end`. */
  below(end: number): number
  isOneIn(count: number): boolean
  pick<Item>(items: readonly Item[]): Item
  shuffled<Item>(items: readonly Item[]): readonly Item[]
}

/** Hex digits that a choice takes of a hash, which has enough for five. */
const digits = 12
const choicesOfHash = 5

/** Makes choices from the hashes of a seed and a count. */
export function seededRandom(seed: string): SeededRandom {
  let count = 0
  let hashed = ""
  const below = (end: number): number => {
    const start = (count % choicesOfHash) * digits
    if (start === 0) hashed = hash("sha256", `${seed}/${count}`)
    count += 1
    return Number.parseInt(hashed.slice(start, start + digits), 16) % end
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
