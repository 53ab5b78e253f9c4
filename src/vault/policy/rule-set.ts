/** Rules by their places in a list, one bit each; sets of one list have the same length. */
export type RuleSet = readonly number[]

/** Integers up to 31 bits stand in an array as they are; larger ones and typed arrays cost an allocation each. */
const bitsInWord = 30

/** The set of some places in a list of `count` rules. */
export function ruleSet(count: number, places: Iterable<number>): RuleSet {
  const words = new Array<number>(Math.ceil(count / bitsInWord)).fill(0)
  for (const place of places) {
    const index = Math.floor(place / bitsInWord)
    words[index] = (words[index] ?? 0) | (1 << (place % bitsInWord))
  }
  return words
}

/** What is in both sets. */
export function inBoth(a: RuleSet, b: RuleSet): RuleSet {
  return a.map((word, index) => word & (b[index] ?? 0))
}

/** What is in either set. */
export function inEither(a: RuleSet, b: RuleSet): RuleSet {
  return a.map((word, index) => word | (b[index] ?? 0))
}

/** Whether nothing is in a set. */
export function isEmpty(set: RuleSet): boolean {
  return set.every((word) => word === 0)
}

/** Whether a set has more than one rule. */
export function hasSeveral(set: RuleSet): boolean {
  let first = 0
  for (const word of set) {
    if (word === 0) continue
    if (first !== 0 || (word & (word - 1)) !== 0) return true
    first = word
  }
  return false
}

/** A set without those of its places, among `asked`, that don't fit. */
export function withoutUnfit(
  set: RuleSet,
  asked: RuleSet,
  fits: (place: number) => boolean,
): RuleSet {
  return set.map((word, index) => {
    let kept = word
    for (let left = word & (asked[index] ?? 0); left !== 0; left &= left - 1) {
      if (!fits(lowestIn(left, index))) kept &= ~(left & -left)
    }
    return kept
  })
}

/** The places in a set, from the first to the last. */
export function placesIn(set: RuleSet): readonly number[] {
  const places: number[] = []
  for (const [index, word] of set.entries()) {
    for (let left = word; left !== 0; left &= left - 1) places.push(lowestIn(left, index))
  }
  return places
}

/** The place of the lowest bit of the word at `index`. */
function lowestIn(word: number, index: number): number {
  return index * bitsInWord + 31 - Math.clz32(word & -word)
}
