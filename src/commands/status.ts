import type { Command } from "commander"

import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "./command.ts"
import { print, type Printing } from "./print.ts"
import { statusLines } from "./status/status-lines.ts"
import { withAdmin } from "./with-vault.ts"

/** `countersign status` */
export function status(): Command {
  const made = withJson(
    withInstallation(
      command("status", "show the daemon's state, its keys, clients, limits and last refusals"),
    ),
  )
  withExamples(made, "countersign status", "countersign status --json")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const answer = await withAdmin(options, async (admin) => ({
      daemon: admin.daemon,
      ...(await admin.call("status", {})),
    }))
    print(answer, options, (shown) => statusLines(shown, Date.now()))
  })
}
