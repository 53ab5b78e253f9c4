import type { StandingLimit } from "../../link/views/views.ts"
import { table, type Line } from "../cli/print.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { utcText } from "../../std/time/time-words.ts"

/** `countersign limits show` */
export const limitsShow = adminCommand({
  description: "show what of every limit is used",
  examples: ["countersign limits show"],
  call: (admin) => admin.call("listLimits", {}),
  print: limitsTable,
})

function limitsTable(limits: readonly StandingLimit[]): readonly Line[] {
  if (limits.length === 0) return ["No policy has a limit."]
  const rows = limits.map((use) => [
    `${use.policy}/${use.limit}`,
    use.mode,
    [use.for, use.of].filter((part) => part !== "").join(" ") || use.per,
    use.used,
    use.raised_until === null ? use.max : `${use.max} until ${utcText(use.raised_until)}`,
  ])
  return [table(["LIMIT", "MODE", "FOR", "USED", "MAX"], rows)]
}
