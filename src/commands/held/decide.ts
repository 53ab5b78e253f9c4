import type { HoldView, SymbolsView } from "../../link/views/views.ts"
import { heldLine } from "../../words/held-words.ts"
import { agreeToShown, type Terminal } from "../cli/terminal.ts"
import { argument, flag } from "../cli/options.ts"
import { tell } from "../cli/print.ts"
import type { Admin } from "../installation/admin.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { holdLines, withWords } from "./list.ts"
import { sinceHeld } from "./since-held.ts"

export const holdId = argument("<id>", "the hold's id, which the bot was told and held list shows")

/** `countersign held release ID`: the very same request is then signed once, when the bot sends it again. */
export const heldRelease = adminCommand({
  changes: "installation",
  description: "let a held request be signed once",
  notes: `
It is judged anew when the bot sends it. What it asks for, what has changed since it was held, and what stands in its way
now is told first, and at a terminal asked about.`,
  examples: ["countersign held release hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  options: { id: holdId, yes: flag("--yes", "don't ask") },
  call: async (admin, options, terminal) => {
    const { id, yes } = options
    const hold = await heldNow(id, admin)
    const { policy_hash, ...symbols } = await admin.call("listSymbols", {})
    if (hold?.state === "pending") await agree(hold, { symbols, admin, terminal, yes })
    const released = await admin.call("decideHold", { id, decision: "released", policy_hash })
    return withWords(released, symbols)
  },
  print: holdLines,
})

/** `countersign held refuse ID` */
export const heldRefuse = adminCommand({
  changes: "installation",
  description: "end a held request",
  examples: ["countersign held refuse hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  options: { id: holdId },
  call: async (admin, { id }) => {
    const { policy_hash, ...symbols } = await admin.call("listSymbols", {})
    const hold = await admin.call("decideHold", { id, decision: "refused", policy_hash })
    return withWords(hold, symbols)
  },
  print: holdLines,
})

/** `undefined` where there is no hold with this id, which the vault says better. */
export async function heldNow(
  id: string,
  admin: Pick<Admin, "call">,
): Promise<HoldView | undefined> {
  return (await admin.call("listHolds", {})).find((hold) => hold.id === id)
}

type Asking = {
  readonly symbols: SymbolsView
  readonly admin: Admin
  readonly terminal: Terminal
  readonly yes: boolean
}

/** A release can't be taken back. It is shown as it is released, with what has changed since it was held. */
async function agree(hold: HoldView, { symbols, admin, terminal, yes }: Asking): Promise<void> {
  const warnings = await sinceHeld(hold, admin)
  for (const warning of warnings) tell(terminal, `warning: ${warning}`)
  const verb = warnings.length === 0 ? "Release it" : "Release it all the same"
  const question = `${verb}: ${heldLine(hold, symbols, Date.now())}?`
  await agreeToShown(terminal, { yes, question })
}
