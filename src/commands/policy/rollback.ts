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

/** `countersign policy rollback [HASH]` */
export function policyRollback(): Command {
  const made = command(
    "rollback",
    "put the set of files in force that was before this one, or an earlier one",
  ).argument("[hash]", "an earlier set, by the hash of its files")
  withExamples(made, "countersign policy rollback")
  return runs<InstallationOptions & Printing>(
    withJson(withInstallation(made)),
    async (options, hash) => {
      const answer = await withAdmin(options, (admin) => {
        if (admin.daemon === "running")
          return admin.call("rollback", hash === undefined ? {} : { hash })
        throw new Fault(
          "vault_unavailable",
          "No daemon runs here; put the earlier files back instead.",
        )
      })
      print(answer, options, ({ policy_hash }) => [
        `The earlier set is in force: ${policy_hash}`,
        "The files on disk differ from it: mend them before the next reload or start.",
      ])
    },
  )
}
