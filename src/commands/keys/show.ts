import type { KeyView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { utcText } from "../../std/time/time-words.ts"

/** `countersign keys show NAME` */
export const keysShow = adminCommand({
  description: "show all that is known of a key",
  examples: ["countersign keys show mm"],
  options: { name: argument("<name>", "the key") },
  call: async (admin, { name }) => {
    const keys = await admin.call("listKeys", {})
    const key = keys.find((each) => each.name === name)
    if (key !== undefined) return key
    const message = `There is no key named ${name}; countersign keys list shows them.`
    throw new Fault("name_unknown", message)
  },
  print: keyDetails,
})

function keyDetails(key: KeyView): readonly string[] {
  return [
    `name       ${key.name}`,
    `role       ${key.role}`,
    `address    ${key.address}`,
    `wallet     ${key.wallet ?? "-"}`,
    `targets    ${key.targets.join(", ") || "its own address alone"}`,
    `network    ${key.network}`,
    `approval   ${key.approval}${key.expires_at === null ? "" : ` until ${utcText(key.expires_at)}`}`,
    `last used  ${key.last_used === null ? "never" : utcText(key.last_used)}`,
    ...(key.locked ? ["locked     yes; countersign unlock brings it back"] : []),
  ]
}
