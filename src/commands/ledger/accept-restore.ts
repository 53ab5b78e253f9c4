import { agreeToShown } from "../cli/terminal.ts"
import { flag } from "../cli/options.ts"
import { tell } from "../cli/print.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign ledger accept-restore` */
export const ledgerAcceptRestore = adminCommand({
  changes: "installation",
  description:
    "sign again with a restored ledger, with nonces above all that were used since its backup",
  notes: "At a terminal it shows the signers that wait, and asks.",
  examples: ["countersign ledger accept-restore"],
  options: { yes: flag("--yes", "don't ask") },
  call: async (admin, { yes }, terminal) => {
    const { signers } = await admin.call("lookAtRestore", {})
    for (const { signer, nonce } of signers) {
      tell(terminal, `${signer} would go on above nonce ${nonce}.`)
    }
    await agreeToShown(terminal, { yes, question: "Sign again with this ledger?" })
    return admin.call("acceptRestore", { signers: [...signers] })
  },
  print: ({ signers }) => [
    ...signers.map(({ signer, nonce }) => `${signer} goes on above nonce ${nonce}.`),
    "What was recorded after the backup is lost: limits may count less than was used, and changes of clients, keys and freezes since then are undone. Look at countersign status.",
  ],
})
