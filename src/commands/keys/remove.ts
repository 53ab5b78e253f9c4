import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign keys remove NAME`: destroys the secret; the name and the address stay taken. */
export const keysRemove = adminCommand({
  changes: "installation",
  description: "destroy a key for good; its name and address are never used again",
  examples: ["countersign keys remove mm", "countersign keys remove mm --yes"],
  options: { name: argument("<name>", "the key") },
  keys: "needed",
  question: ({ name }) => `Destroy the key ${name}? Without a copy elsewhere it is gone for good.`,
  call: (admin, { name }) => admin.call("removeKey", { name }),
  print: ({ address }, { name }) => [
    `${name} (${address}) is destroyed here. If the venue still accepts it, revoke it there.`,
  ],
})
