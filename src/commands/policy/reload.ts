import type { Command } from "commander"

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

/** `countersign policy reload` */
export function policyReload(): Command {
  const made = withJson(
    withInstallation(
      command("reload", "have the daemon load its files anew: all of them, or none"),
    ),
  )
  withExamples(made, "countersign policy check && countersign policy reload")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const answer = await withAdmin(options, (admin) => {
      if (admin.daemon === "running") return admin.call("reload", {})
      throw new Fault(
        "vault_unavailable",
        "No daemon runs here; countersign serve reads the files when it starts.",
      )
    })
    print(answer, options, ({ policy_hash, warnings }) => [
      `The files are in force: ${policy_hash}`,
      ...warnings.map((warning) => `warning: ${warning}`),
    ])
  })
}
