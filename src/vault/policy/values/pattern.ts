import { RE2JS } from "re2js"

import { err, ok, type Result } from "../../../std/result.ts"

/**
 * A regular expression that is tested on a whole text, in time linear in its length. `undefined` for a text
 * longer than {@link maxMatchedLength}.
 */
export type Pattern = {
  readonly source: string
  readonly matches: (text: string) => boolean | undefined
}

const maxPatternLength = 200
/** The most instructions of a compiled expression, and so the most steps per character. Repetition multiplies them. */
const maxProgramSize = 500
/** In UTF-16 units. With both bounds, no match delays others noticeably. */
export const maxMatchedLength = 1_024

/** Parses a regular expression in RE2's syntax, which has no backreferences and no lookaround. The error says why not. */
export function parsePattern(source: string): Result<Pattern, string> {
  if (source.length === 0 || source.length > maxPatternLength) {
    return err(`must be a regular expression of 1 to ${maxPatternLength} characters`)
  }
  try {
    const compiled = RE2JS.compile(source)
    if (compiled.programSize() > maxProgramSize) return err("repeats too much; repeat less")
    compiled.testExact("") // builds its tables now, not at the first request
    const matches: Pattern["matches"] = (text) =>
      text.length > maxMatchedLength ? undefined : compiled.testExact(text)
    return ok({ source, matches })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace("error parsing regexp: ", "") : ""
    return err(`isn't a regular expression in RE2's syntax: ${why}`)
  }
}
