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
import { withAdmin } from "../with-vault.ts"

/** `countersign clock accept` */
export function clockAccept(): Command {
  const made = command("accept", "believe the clock as it is now, after you have looked at it")
  withExamples(made, "countersign clock accept")
  return runs<InstallationOptions & Printing>(withJson(withInstallation(made)), async (options) => {
    const done = await withAdmin(options, (admin) => admin.call("acceptClock", {}))
    print(done, options, ({ now }) => [
      `The clock is believed: it is ${new Date(now).toISOString()}.`,
    ])
  })
}
