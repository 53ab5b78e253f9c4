import { noHold } from "../../vault/ledger/hold-book.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { heldNow, holdId } from "./decide.ts"
import { bodyLines, headLines, withWords } from "./list.ts"

/** `countersign held show ID` */
export const heldShow = adminCommand({
  description: "show the whole of a held request, each order of a batch by itself",
  examples: ["countersign held show hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  options: { id: holdId },
  call: async (admin, { id }) => {
    const hold = await heldNow(id, admin)
    if (hold === undefined) throw noHold()
    return withWords(hold, await admin.call("listSymbols", {}))
  },
  print: (hold) => [...headLines(hold), ...bodyLines(hold)],
})
