import type { Command } from "commander"

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

/** `countersign clients list` */
export function clientsList(): Command {
  const made = withJson(withInstallation(command("list", "show the bots and what they may use")))
  withExamples(made, "countersign clients list")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const clients = await withAdmin(options, (admin) => admin.call("listClients", {}))
    print(clients, options, (all) => {
      if (all.length === 0) return ["No clients yet; countersign clients add makes one."]
      const rows = all.map((client) => [
        client.name,
        client.keys.join(","),
        client.rights.join(",") || "-",
        client.allow_type_b ? "yes" : "no",
        client.revoked ? "revoked" : "valid",
      ])
      return table(["NAME", "KEYS", "RIGHTS", "TYPE B", "TOKEN"], rows)
    })
  })
}
