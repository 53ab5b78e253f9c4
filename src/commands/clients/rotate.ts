import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { clientNamed, expiryWords } from "./client-options.ts"

/** `countersign clients rotate NAME`: a new token with the old one's end; the old one is refused at once. */
export const clientsRotate = adminCommand({
  changes: "installation",
  description: "give a bot a new token; the old one is refused from then on",
  examples: ["countersign clients rotate bot", "countersign clients rotate bot --yes"],
  options: { name: argument("<name>", "the client") },
  question: ({ name }) =>
    `Replace the token of ${name}? The bot is refused until it has the new one.`,
  call: async (admin, { name }) => {
    // First, so that nothing can come between the new token and its being shown.
    const { expires_at, expired } = await clientNamed(name, admin)
    const { token } = await admin.call("rotateToken", { name })
    return { name, token, expires_at, expired }
  },
  print: ({ token, ...end }, { name }) => [
    `${name} has a new token. It is shown this once:`,
    token,
    ...(end.expires_at === null
      ? []
      : [
          `It ${expiryWords(end)}, as the old one; countersign clients renew ${name} changes that.`,
        ]),
  ],
})
