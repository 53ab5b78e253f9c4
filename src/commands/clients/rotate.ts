import type { ClientView } from "../../link/views/views.ts"
import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { clientNamed, expiryWords } from "./client-options.ts"
import { tokenInto, tokenLines, tokenOutOption, type TokenAnswer } from "./token-file.ts"

/** `countersign clients rotate NAME`: a new token with the old one's end; the old one is refused at once. */
export const clientsRotate = adminCommand({
  changes: "installation",
  description: "give a bot a new token; the old one is refused from then on",
  examples: ["countersign clients rotate bot", "countersign clients rotate bot --yes"],
  options: { name: argument("<name>", "the client"), ...tokenOutOption },
  question: ({ name }) =>
    `Replace the token of ${name}? The bot is refused until it has the new one.`,
  around: (options, ask: () => Promise<Rotated>) => tokenInto(options, ask),
  call: async (admin, { name }): Promise<Rotated> => {
    // First, so that nothing can come between the new token and its being shown.
    const { expires_at, expired } = await clientNamed(name, admin)
    const { token } = await admin.call("rotateToken", { name })
    return { name, token, expires_at, expired }
  },
  print: ({ token, file, ...end }, { name }) => [
    ...tokenLines({ token, file }, `${name} has a new token. It`),
    ...(end.expires_at === null
      ? []
      : [
          `It ${expiryWords(end)}, as the old one; countersign clients renew ${name} changes that.`,
        ]),
  ],
})

type Rotated = TokenAnswer & Pick<ClientView, "name" | "expires_at" | "expired">
