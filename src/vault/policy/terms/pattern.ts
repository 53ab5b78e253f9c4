import { RE2JS } from "re2js"

import { err, ok, type Result } from "../../../std/result.ts"

/** A regular expression that is held against a whole text, in time linear in its length. */
export type Pattern = { readonly source: string; readonly matches: (text: string) => boolean }

const maxPatternLength = 200

/** Reads a regular expression in RE2's syntax, which has no backreferences and no lookaround; else says why not. */
export function parsePattern(source: string): Result<Pattern, string> {
  if (source.length === 0 || source.length > maxPatternLength) {
    return err(`must be a regular expression of 1 to ${maxPatternLength} characters`)
  }
  try {
    const compiled = RE2JS.compile(source)
    compiled.testExact("") // builds its tables now, not at the first request
    return ok({ source, matches: (text) => compiled.testExact(text) })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace("error parsing regexp: ", "") : ""
    return err(`isn't a regular expression in RE2's syntax: ${why}`)
  }
}
