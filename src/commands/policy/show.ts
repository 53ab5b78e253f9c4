import type { PolicyView } from "../../link/views/views.ts"
import { option, required } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign policy show --client NAME` */
export const policyShow = adminCommand({
  description: "say in plain words what a bot may do",
  examples: ["countersign policy show --client mm-bot"],
  options: { client: required(option("--client <name>", "the bot")) },
  call: (admin, { client }) => admin.call("showPolicy", { client }),
  print: policyLines,
})

function policyLines({ client, keys, entries }: PolicyView): readonly string[] {
  const allowed = entries.some(({ kind }) => kind === "allows")
  return [
    `${client} uses the keys ${keys.join(", ")}. ${allowed ? "A request must be allowed by one entry as a whole, and denied by none:" : "No rule allows it anything."}`,
    ...entries.map(
      ({ kind, policy, entry, file, line, words }) =>
        `  ${kind.padEnd(6)} ${words}  (${policy}/${entry}, ${file}:${line})`,
    ),
  ]
}
