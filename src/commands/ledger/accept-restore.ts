import { adminCommand } from "../installation/admin-command.ts"

/** `countersign ledger accept-restore` */
export const ledgerAcceptRestore = adminCommand({
  changes: "installation",
  description:
    "sign with a ledger that was restored, with nonces above all that were given out since",
  examples: ["countersign ledger accept-restore"],
  call: (admin) => admin.call("acceptRestore", {}),
  print: ({ signers }) => [
    ...signers.map(({ signer, nonce }) => `${signer} goes on above nonce ${nonce}.`),
    "What was recorded after the backup is lost: limits may have less used than they had, and changes of clients, keys and freezes since then are undone. Look at countersign status.",
  ],
})
