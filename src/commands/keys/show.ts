import type { Command } from "commander"

import type { KeyView } from "../../link/views.ts"
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

/** `countersign keys show NAME` */
export function keysShow(): Command {
  const made = command("show", "show all that is known of a key").argument("<name>", "the key")
  withExamples(made, "countersign keys show mm")
  return runs<InstallationOptions & Printing>(
    withJson(withInstallation(made)),
    async (options, name = "") => {
      const keys = await withAdmin(options, (admin) => admin.call("listKeys", {}))
      const key = keys.find((each) => each.name === name)
      if (key === undefined) {
        const message = `There is no key named ${name}; countersign keys list shows them.`
        throw new Fault("name_unknown", message)
      }
      print(key, options, keyDetails)
    },
  )
}

function keyDetails(key: KeyView): readonly string[] {
  return [
    `name       ${key.name}`,
    `role       ${key.role}`,
    `address    ${key.address}`,
    `wallet     ${key.wallet ?? "-"}`,
    `targets    ${key.targets.join(", ") || "its own address alone"}`,
    `network    ${key.network}`,
    `approval   ${key.approval}${key.expires_at === null ? "" : ` until ${timeText(key.expires_at)}`}`,
    `last used  ${key.last_used === null ? "never" : timeText(key.last_used)}`,
    ...(key.locked ? ["locked     yes; countersign unlock brings it back"] : []),
  ]
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
