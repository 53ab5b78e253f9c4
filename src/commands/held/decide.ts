import type { AdminParams } from "../../link/calls/methods.ts"
import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { holdLines } from "./list.ts"

/** `countersign held release ID`: the very same request is then signed once, when the bot sends it again. */
export const heldRelease = decide("release", "released", "let a held request be signed once")

/** `countersign held refuse ID` */
export const heldRefuse = decide("refuse", "refused", "end a held request")

function decide(
  word: string,
  decision: AdminParams["decideHold"]["decision"],
  description: string,
) {
  return adminCommand({
    changes: "installation",
    description,
    examples: [`countersign held ${word} hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC`],
    options: { id: argument("<id>", "the hold's id, which the bot was told and held list shows") },
    call: (admin, { id }) => admin.call("decideHold", { id, decision }),
    print: holdLines,
  })
}
