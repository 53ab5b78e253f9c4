import type { Command } from "commander"

import type { HoldView } from "../../link/views.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

/** `countersign held list` */
export function heldList(): Command {
  const made = withJson(
    withInstallation(command("list", "show the requests that wait for a person")),
  )
  withExamples(made, "countersign held list")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const holds = await withAdmin(options, (admin) => admin.call("listHolds", {}))
    print(holds, options, (all) =>
      all.length === 0 ? ["Nothing waits."] : all.flatMap((hold) => [...holdLines(hold), ""]),
    )
  })
}

/** A held request with all that a person needs to decide, one fact a line. */
export function holdLines(hold: HoldView): readonly string[] {
  const body = JSON.parse(hold.body) as Record<string, unknown> // our own canonical JSON
  return [
    `${hold.id}  ${hold.state}, ends ${new Date(hold.expires_at).toISOString()}`,
    `  ${hold.operation} of client ${hold.client} with key ${hold.key}${hold.target === null ? "" : ` for ${hold.target}`}`,
    `  held by ${hold.policy}/${hold.rule}; worst case: ${hold.worst_case}`,
    ...Object.entries(body).map(([name, value]) => `    ${shownName(name)}: ${shown(value)}`),
  ]
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
