import { unseen } from "../../std/visible.ts"

/** Text that others chose, fit to be shown among ours: cut where it is long, without characters that hide others. */
export function shownText(text: string, maxLength: number): string {
  const cut = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`
  return cut.toWellFormed().replace(unseen, "\uFFFD")
}
