import type { ClientView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { clientNamed, expiresInOption, expiryWords } from "./client-options.ts"

const usualMs = 30 * 86_400_000

/** `countersign clients renew NAME`: more time for the same token; `clients rotate` gives another one. */
export const clientsRenew = adminCommand({
  changes: "installation",
  description: "give a bot's token that expires more time, also one that has expired",
  examples: ["countersign clients renew bot", "countersign clients renew bot --expires-in 90d"],
  options: {
    name: argument("<name>", "the client"),
    expiresInMs: expiresInOption("how long it is good from now on; 30d if left out"),
  },
  call: async (admin, { name, expiresInMs }) => {
    const from = await clientNamed(name, admin)
    if (from.expires_at === null && expiresInMs === undefined) {
      throw new Fault("usage", `The token of ${name} never expires; --expires-in gives it an end.`)
    }
    const to = await admin.call("setClient", { name, expiresInMs: expiresInMs ?? usualMs })
    return { from, to }
  },
  print: ({ from, to }: { readonly from: ClientView; readonly to: ClientView }) => [
    `The token of ${to.name} ${expiryWords(to)}; before: ${expiryWords(from)}.`,
  ],
})
