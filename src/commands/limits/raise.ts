import { parseDurationMs } from "../../std/time/duration.ts"
import { Fault } from "../../std/fault.ts"
import { argument, option, parsed, required } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign limits raise NAME --to X --for 30m --reason …`: ends by itself. */
export const limitsRaise = adminCommand({
  changes: "installation",
  description: "give a limit more room for a while; it ends by itself, and is recorded",
  examples: ["countersign limits raise daily --to 50000 --for 30m --reason 'roll of the hedge'"],
  options: {
    limit: argument("<limit>", "its name, or policy/name"),
    to: required(option("--to <max>", "its maximum until then")),
    forMs: parsed(
      required(option("--for <duration>", "how long, like 30m; at most 31d")),
      parseForMs,
    ),
    reason: required(option("--reason <words>", "why, for the record")),
  },
  call: (admin, { limit, to, forMs, reason }) =>
    admin.call("raiseLimit", { limit, to, forMs, reason }),
  print: ({ until }, { limit, to }) => [
    `${limit} allows ${to} until ${new Date(until).toISOString()}.`,
  ],
})

function parseForMs(text: string): number {
  const forMs = parseDurationMs(text)
  if (forMs !== undefined) return forMs
  throw new Fault("usage", "--for takes a duration like 30m.")
}
