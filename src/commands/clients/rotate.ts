import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign clients rotate NAME`: a new token; the old one is refused at once. */
export const clientsRotate = adminCommand({
  changes: "installation",
  description: "give a bot a new token; the old one is refused from then on",
  examples: ["countersign clients rotate bot", "countersign clients rotate bot --yes"],
  options: { name: argument("<name>", "the client") },
  question: ({ name }) =>
    `Replace the token of ${name}? The bot is refused until it has the new one.`,
  call: (admin, { name }) => admin.call("rotateToken", { name }),
  print: ({ token }, { name }) => [`${name} has a new token. It is shown this once:`, token],
})
