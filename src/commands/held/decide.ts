import type { HoldView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { heldLine } from "../../words/held-words.ts"
import { argument, flag } from "../cli/options.ts"
import { tell } from "../cli/print.ts"
import type { Terminal } from "../cli/terminal.ts"
import type { Admin } from "../installation/admin.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { holdLines, withWords, type WordedHold } from "./list.ts"
import { sinceHeld } from "./since-held.ts"

const id = argument("<id>", "the hold's id, which the bot was told and held list shows")

/** `countersign held release ID`: the very same request is then signed once, when the bot sends it again. */
export const heldRelease = adminCommand({
  changes: "installation",
  description: "let a held request be signed once",
  notes: `
It is judged anew when the bot sends it. What has changed since it was held, and what stands in its way now, is told
first; at a terminal it is asked then whether to release it all the same.`,
  examples: ["countersign held release hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  options: { id, yes: flag("--yes", "don't ask") },
  call: async (admin, options, terminal) => {
    const hold = await heldNow(options.id, admin)
    if (hold?.state === "pending") await warn(hold, { admin, terminal, yes: options.yes })
    return decided(await admin.call("decideHold", { id: options.id, decision: "released" }), admin)
  },
  print: holdLines,
})

/** `countersign held refuse ID` */
export const heldRefuse = adminCommand({
  changes: "installation",
  description: "end a held request",
  examples: ["countersign held refuse hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  options: { id },
  call: async (admin, options) =>
    decided(await admin.call("decideHold", { id: options.id, decision: "refused" }), admin),
  print: holdLines,
})

/** `undefined` where there is no hold with this id, which the vault says better. */
export async function heldNow(
  id: string,
  admin: Pick<Admin, "call">,
): Promise<HoldView | undefined> {
  return (await admin.call("listHolds", {})).find((hold) => hold.id === id)
}

async function decided(hold: HoldView, admin: Admin): Promise<WordedHold> {
  return withWords(hold, await admin.call("listSymbols", {}))
}

type Asking = { readonly admin: Admin; readonly terminal: Terminal; readonly yes: boolean }

/** A release can't be taken back, so it is asked for once more where it may not be what it was meant to be. */
async function warn(hold: HoldView, { admin, terminal, yes }: Asking): Promise<void> {
  const warnings = await sinceHeld(hold, admin)
  for (const warning of warnings) tell(terminal, `warning: ${warning}`)
  if (warnings.length === 0 || yes || terminal.stdin.isTTY !== true) return
  const words = heldLine(hold, await admin.call("listSymbols", {}), Date.now())
  if (await terminal.prompts.confirm(`Release it all the same: ${words}?`)) return
  throw new Fault("cancelled", "Nothing was released; it still waits.")
}
