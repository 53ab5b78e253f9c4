import type { Command } from "commander"

import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { confirmDeed } from "../prompts.ts"
import { withAdmin } from "../with-vault.ts"

type RevokeOptions = InstallationOptions & Printing & { readonly yes?: boolean }

/** `countersign clients revoke NAME`: its token is refused from then on, for good. */
export function clientsRevoke(): Command {
  const made = command("revoke", "refuse a bot's token from now on, for good")
    .argument("<name>", "the client")
    .option("--yes", "don't ask")
  withExamples(made, "countersign clients revoke bot", "countersign clients revoke bot --yes")
  return runs<RevokeOptions>(withJson(withInstallation(made)), async (options, name = "") => {
    await confirmDeed(`Revoke the client ${name} for good?`, options)
    const client = await withAdmin(options, (admin) => admin.call("revokeClient", { name }))
    print(client, options, () => [
      `${name} is revoked: its token is refused, and the name stays taken.`,
    ])
  })
}
