import { adminCommand } from "../installation/admin-command.ts"

/** `countersign ledger accept-restore` */
export const ledgerAcceptRestore = adminCommand({
  changes: "installation",
  description:
    "sign again with a restored ledger, with nonces above all that were used since its backup",
  examples: ["countersign ledger accept-restore"],
  call: (admin) => admin.call("acceptRestore", {}),
  print: ({ signers }) => [
    ...signers.map(({ signer, nonce }) => `${signer} goes on above nonce ${nonce}.`),
    "What was recorded after the backup is lost: limits may count less than was used, and changes of clients, keys and freezes since then are undone. Look at countersign status.",
  ],
})
