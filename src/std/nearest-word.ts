/**
 * The one of `words` that `word` is most likely a slip of: the fewest letters away, and at most a third of its own.
 * A letter is left out, added, changed, or swapped with its neighbour.
 */
export function nearestWord(word: string, words: Iterable<string>): string | undefined {
  let nearest: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const each of words) {
    if (Math.abs(each.length - word.length) >= least) continue // so that no long text takes long
    const away = distance(word, each)
    if (away < least) [nearest, least] = [each, away]
  }
  return nearest
}

/** The optimal string alignment distance, row by row. */
function distance(from: string, to: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const next = [row]
    for (let column = 1; column <= to.length; column++) {
      const at = (line: readonly number[], index: number): number => line[index] ?? Infinity
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next[column] = Math.min(
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Infinity,
      )
    }
    ;[before, last] = [last, next]
  }
  return last[to.length] ?? 0
}
