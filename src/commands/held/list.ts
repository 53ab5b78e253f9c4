import type { HoldView } from "../../link/views/views.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign held list` */
export const heldList = adminCommand({
  description: "show the requests that wait for a person",
  examples: ["countersign held list"],
  call: (admin) => admin.call("listHolds", {}),
  print: (holds) =>
    holds.length === 0 ? ["Nothing waits."] : holds.flatMap((hold) => [...holdLines(hold), ""]),
})

/** A held request with all that a person needs to decide, one fact a line. */
export function holdLines(hold: HoldView): readonly string[] {
  const body = JSON.parse(hold.body) as Record<string, unknown> // our own canonical JSON
  return [
    `${hold.id}  ${hold.state}, ends ${new Date(hold.expires_at).toISOString()}`,
    `  ${hold.operation} of client ${hold.client} with key ${hold.key}${hold.target === null ? "" : ` for ${hold.target}`}`,
    `  held by ${hold.policy}/${hold.rule}; worst case: ${hold.worst_case}`,
    ...shortened(
      Object.entries(body).map(([name, value]) => `    ${shownName(name)}: ${shown(value)}`),
    ),
  ]
}

/** A body's lines that a person can read; a bot may send 64 KiB. */
const maxLines = 50
const maxLineLength = 1_000

function shortened(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength))
  if (shown.join().length === lines.join().length) return lines
  return [...shown, "    … this isn't all of it; countersign held list --json shows the whole"]
}

function shownName(name: string): string {
  return /^\w+$/.test(name) ? name : shown(name)
}

/** As JSON in ASCII: a bot's text must not move the cursor, or look like another text, before who decides. */
function shown(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
