import type { KeyView } from "../../link/views/views.ts"
import { table, type Line } from "../cli/lines.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { utcText } from "../../std/time/time-words.ts"

/** `countersign keys list` */
export const keysList = adminCommand({
  description: "show the keys' public side",
  examples: ["countersign keys list", "countersign keys list --json"],
  call: (admin) => admin.call("listKeys", {}),
  print: keysTable,
})

/** Keys in columns, for people. */
function keysTable(keys: readonly KeyView[]): readonly Line[] {
  if (keys.length === 0)
    return ["No keys yet; countersign keys generate or countersign keys import makes one."]
  const rows = keys
    .filter(({ approval }) => approval !== "removed")
    .map((key) => [
      key.name,
      key.role,
      key.address,
      key.wallet ?? "-",
      key.approval === "approved" && key.expires_at !== null
        ? `approved until ${utcText(key.expires_at)}`
        : key.approval,
    ])
  return [table(["NAME", "ROLE", "ADDRESS", "WALLET", "APPROVAL"], rows)]
}
