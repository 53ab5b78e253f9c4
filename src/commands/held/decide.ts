import type { Command } from "commander"

import type { AdminParams } from "../../link/methods.ts"
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
import { holdLines } from "./list.ts"

/** `countersign held release ID`: the very same request is then signed once, when the bot sends it again. */
export function heldRelease(): Command {
  return decide("released", command("release", "let a held request be signed once"))
}

/** `countersign held refuse ID` */
export function heldRefuse(): Command {
  return decide("refused", command("refuse", "end a held request"))
}

function decide(decision: AdminParams["decideHold"]["decision"], made: Command): Command {
  made.argument("<id>", "the hold, as the bot was told it and held list shows it")
  withExamples(made, `countersign held ${made.name()} hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC`)
  return runs<InstallationOptions & Printing>(
    withJson(withInstallation(made)),
    async (options, id = "") => {
      const hold = await withAdmin(options, (admin) => admin.call("decideHold", { id, decision }))
      print(hold, options, holdLines)
    },
  )
}
