import type { Warning, RaiseView } from "../../contract/views.ts"
import { utcText } from "../../std/time/time-words.ts"
import { visible } from "../../std/visible.ts"
import type { Change } from "../../vault/policy/widening.ts"
import { toned, type Line } from "../cli/print.ts"

/** A difference between two sets of files in one line: `WIDENS  policies/mm.yaml rules/quote/max_quantity: "1" → "2"`. */
export function changeLine({ file, where, from, to, widens }: Change): string {
  return `${widens ? "WIDENS " : "       "} ${file} ${where}: ${from ?? "-"} → ${to ?? "-"}`
}

/** That the files on disk aren't those in force: first of all, where what is shown goes by the files. */
export function differLines(differ: Warning | null): readonly Line[] {
  if (differ === null) return []
  const lines = differ.message.split("\n").map((line) => toned(visible(line), "doubtful"))
  return [...lines, `  fix: ${differ.fix}`, ""]
}

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
