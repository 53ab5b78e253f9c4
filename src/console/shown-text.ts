import { visible } from "../std/visible.ts"

/** Text that others chose, fit to be shown among ours: what hides or moves letters is written out, what is long is cut. */
export function shownText(text: string, maxLength: number): string {
  const shown = visible(text.slice(0, maxLength))
  const isWhole = Math.max(text.length, shown.length) <= maxLength
  return (isWhole ? shown : `${shown.slice(0, maxLength - 1)}…`).toWellFormed()
}
