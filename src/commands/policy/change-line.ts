import type { Change } from "../../vault/policy/widening.ts"

/** A difference between two sets of files in one line: `WIDENS  policies/mm.yaml rules/quote/max_quantity: "1" → "2"`. */
export function changeLine({ file, where, from, to, widens }: Change): string {
  return `${widens ? "WIDENS " : "       "} ${file} ${where}: ${from ?? "-"} → ${to ?? "-"}`
}
