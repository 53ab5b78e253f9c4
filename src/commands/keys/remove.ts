import type { Command } from "commander"

import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { confirmDeed } from "../prompts.ts"
import { withVault } from "../with-vault.ts"

type RemoveOptions = InstallationOptions &
  Printing & { readonly yes?: boolean; readonly passphraseFile?: string }

/** `countersign keys remove NAME`: destroys the secret; the name and the address stay taken. */
export function keysRemove(): Command {
  const made = command(
    "remove",
    "destroy a key for good; its name and address are never used again",
  )
    .argument("<name>", "the key")
    .option("--yes", "don't ask")
    .option("--passphrase-file <file>", "overrides the file in countersign.yaml")
  withExamples(made, "countersign keys remove mm", "countersign keys remove mm --yes")
  return runs<RemoveOptions>(withJson(withInstallation(made)), async (options, name = "") => {
    await confirmDeed(
      `Destroy the key ${name}? Without a copy elsewhere it is gone for good.`,
      options,
    )
    const access = {
      installation: installationOf(options),
      keys: "needed",
      passphraseFile: options.passphraseFile,
    } as const
    const key = await withVault(access, (admin) => admin.call("removeKey", { name }))
    print(key, options, ({ address }) => [
      `${name} (${address}) is destroyed here. If the venue still accepts it, revoke it there.`,
    ])
  })
}
