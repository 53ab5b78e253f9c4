import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign clients revoke NAME`: its token is refused from then on, for good. */
export const clientsRevoke = adminCommand({
  changes: "installation",
  description: "refuse a bot's token from now on, for good",
  examples: ["countersign clients revoke bot", "countersign clients revoke bot --yes"],
  options: { name: argument("<name>", "the client") },
  question: ({ name }) => `Revoke the client ${name} for good?`,
  call: (admin, { name }) => admin.call("revokeClient", { name }),
  print: (_client, { name }) => [
    `${name} is revoked: its token is refused, and the name stays taken.`,
  ],
})
