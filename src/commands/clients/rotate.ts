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

type RotateOptions = InstallationOptions & Printing & { readonly yes?: boolean }

/** `countersign clients rotate NAME`: a new token; the old one is refused at once. */
export function clientsRotate(): Command {
  const made = command("rotate", "give a bot a new token; the old one is refused from then on")
    .argument("<name>", "the client")
    .option("--yes", "don't ask")
  withExamples(made, "countersign clients rotate bot", "countersign clients rotate bot --yes")
  return runs<RotateOptions>(withJson(withInstallation(made)), async (options, name = "") => {
    await confirmDeed(
      `Replace the token of ${name}? The bot is refused until it has the new one.`,
      options,
    )
    const answer = await withAdmin(options, (admin) => admin.call("rotateToken", { name }))
    print(answer, options, ({ token }) => [
      `${name} has a new token. It is shown this once:`,
      token,
    ])
  })
}
