import type { Command } from "commander"

import type { KeyView } from "../../link/views.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, table, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

/** `countersign keys list` */
export function keysList(): Command {
  const made = withJson(withInstallation(command("list", "show the keys' public side")))
  withExamples(made, "countersign keys list", "countersign keys list --json")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const keys = await withAdmin(options, (admin) => admin.call("listKeys", {}))
    print(keys, options, keysTable)
  })
}

/** Keys in columns, for people. */
export function keysTable(keys: readonly KeyView[]): readonly string[] {
  if (keys.length === 0) return ["No keys yet; countersign keys generate or keys import makes one."]
  const rows = keys
    .filter(({ approval }) => approval !== "removed")
    .map((key) => [
      key.name,
      key.role,
      key.address,
      key.wallet ?? "-",
      key.expires_at === null
        ? key.approval
        : `${key.approval} until ${new Date(key.expires_at).toISOString()}`,
    ])
  return table(["NAME", "ROLE", "ADDRESS", "WALLET", "APPROVAL"], rows)
}
