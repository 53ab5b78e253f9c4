import type { Warning } from "../../link/views/views.ts"
import { visible } from "../../std/visible.ts"
import { toned, type Line } from "../cli/lines.ts"

/** That the files on disk aren't those in force: first of all, where what is shown goes by the files. */
export function differLines(differ: Warning | null): readonly Line[] {
  if (differ === null) return []
  const lines = differ.message.split("\n").map((line) => toned(visible(line), "doubtful"))
  return [...lines, `  fix: ${differ.fix}`, ""]
}
