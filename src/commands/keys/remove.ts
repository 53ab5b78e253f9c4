import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign keys remove NAME`: has the key store delete the secret; the name and the address stay taken. */
export const keysRemove = adminCommand({
  changes: "installation",
  description: "remove a key for good; its name and address are never used again",
  examples: ["countersign keys remove mm", "countersign keys remove mm --yes"],
  options: { name: argument("<name>", "the key") },
  keys: "needed",
  question: ({ name }) =>
    `Remove the key ${name} for good? Without a copy elsewhere nothing can sign with it again.`,
  call: (admin, { name }) => admin.call("removeKey", { name }),
  print: ({ address }, { name }) => [
    `${name} (${address}) is removed: nothing here signs with it again. If the venue still accepts it, revoke it there.`,
    "Its secret may outlive it in back-ups, and in a keychain's bin and history (KeePassXC keeps both): clear them too.",
  ],
})
