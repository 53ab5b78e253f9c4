import type { Command } from "commander"

import { parseDurationMs } from "../../std/duration.ts"
import { Fault } from "../../std/fault.ts"
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

type RaiseOptions = InstallationOptions &
  Printing & { readonly to: string; readonly for: string; readonly reason: string }

/** `countersign limits raise NAME --to X --for 30m --reason …`: ends by itself. */
export function limitsRaise(): Command {
  const made = command(
    "raise",
    "give a limit more room for a while; it ends by itself, and is recorded",
  )
    .argument("<limit>", "its name, or policy/name")
    .requiredOption("--to <max>", "what it allows until then")
    .requiredOption("--for <duration>", "how long, like 30m; at most 31d")
    .requiredOption("--reason <words>", "why, for the record")
  withExamples(
    made,
    "countersign limits raise daily --to 50000 --for 30m --reason 'roll of the hedge'",
  )
  return runs<RaiseOptions>(withJson(withInstallation(made)), async (options, limit = "") => {
    const forMs = parseDurationMs(options.for)
    if (forMs === undefined) throw new Fault("usage", "--for takes a duration like 30m.")
    const { to, reason } = options
    const raised = await withAdmin(options, (admin) =>
      admin.call("raiseLimit", { limit, to, forMs, reason }),
    )
    print(raised, options, ({ until }) => [
      `${limit} allows ${to} until ${new Date(until).toISOString()}.`,
    ])
  })
}
