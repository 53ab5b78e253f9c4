import type { Command } from "commander"

import { command, runs, withInstallation, withJson, type InstallationOptions } from "./command.ts"
import { keysTable } from "./keys/list.ts"
import { print, type Printing } from "./print.ts"
import { withAdmin } from "./with-vault.ts"

/** `countersign status` */
export function status(): Command {
  const made = withJson(
    withInstallation(command("status", "show the daemon's state, its keys and clients")),
  )
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const answer = await withAdmin(options, async (admin) => ({
      daemon: admin.daemon,
      ...(await admin.call("status", {})),
    }))
    print(answer, options, ({ daemon, keys, clients, records, policy_hash, warnings }) => [
      `daemon    ${daemon}`,
      `policies  ${policy_hash}`,
      `records   ${records}`,
      `clients   ${clients.map((client) => client.name).join(", ") || "none"}`,
      "",
      ...keysTable(keys),
      ...warnings.map((warning) => `warning: ${warning}`),
    ])
  })
}
