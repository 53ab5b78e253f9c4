import type { RaiseView } from "../../link/views/views.ts"
import { toned, type Line } from "../cli/lines.ts"
import { utcText } from "../../std/time/time-words.ts"

/** A line for each raise that stands: what is allowed isn't what the files say. */
export function raiseLines(raises: readonly RaiseView[]): readonly Line[] {
  return raises.map(({ limit, to, until, max }) => {
    const files = max === null ? "the files have no such limit" : `the files say ${max}`
    const ends = utcText(until)
    return toned(
      `raised    ${limit} to ${to} until ${ends} (${files}); countersign limits raise ${limit} --end ends it`,
      "doubtful",
    )
  })
}
