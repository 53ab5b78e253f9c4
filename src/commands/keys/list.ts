import type { KeyView } from "../../link/views/views.ts"
import { table, type Line } from "../cli/print.ts"
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
    .map((key) => [key.name, key.role, key.address, key.wallet ?? "-", approvalText(key)])
  return [table(["NAME", "ROLE", "ADDRESS", "WALLET", "APPROVAL"], rows)]
}

function approvalText({ role, approval, expires_at }: KeyView): string {
  if (role === "wallet") return "-"
  const until = approval === "approved" && expires_at !== null
  return until ? `approved until ${utcText(expires_at)}` : approval
}
