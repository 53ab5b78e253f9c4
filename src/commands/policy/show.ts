import type { Command } from "commander"

import type { PolicyView } from "../../link/views.ts"
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

/** `countersign policy show --client NAME` */
export function policyShow(): Command {
  const made = command("show", "say in plain words what a bot may do").requiredOption(
    "--client <name>",
    "the bot",
  )
  withExamples(made, "countersign policy show --client mm-bot")
  return runs<InstallationOptions & Printing & { readonly client: string }>(
    withJson(withInstallation(made)),
    async (options) => {
      const { client } = options
      const view = await withAdmin(options, (admin) => admin.call("showPolicy", { client }))
      print(view, options, policyLines)
    },
  )
}

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
