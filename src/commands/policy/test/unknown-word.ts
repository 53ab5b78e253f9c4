import { nearestWord } from "../../../std/nearest-word.ts"

/** What to say of a word that isn't one of those that there are. */
export function unknownWord(what: string, word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known)
  return `unknown ${what} "${word}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`
}
