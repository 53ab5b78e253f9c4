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

/** `countersign limits show` */
export function limitsShow(): Command {
  const made = withJson(withInstallation(command("show", "show what of every limit is used")))
  withExamples(made, "countersign limits show")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const limits = await withAdmin(options, (admin) => admin.call("listLimits", {}))
    print(limits, options, (all) => {
      if (all.length === 0) return ["No policy has a limit."]
      const rows = all.map((use) => [
        `${use.policy}/${use.limit}`,
        use.mode,
        [use.for, use.of].filter((part) => part !== "").join(" ") || use.per,
        use.used,
        use.max,
      ])
      return table(["LIMIT", "MODE", "FOR", "USED", "MAX"], rows)
    })
  })
}
