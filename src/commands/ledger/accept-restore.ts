import type { Command } from "commander"

import type { AdminResults } from "../../link/methods.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

/** `countersign ledger accept-restore` */
export function ledgerAcceptRestore(): Command {
  const made = command(
    "accept-restore",
    "sign with a ledger that was restored, with nonces above all that were given out since",
  )
  withExamples(made, "countersign ledger accept-restore")
  return runs<InstallationOptions & Printing>(withJson(withInstallation(made)), async (options) => {
    const done = await withAdmin(options, (admin) => admin.call("acceptRestore", {}))
    print(done, options, acceptedLines)
  })
}

function acceptedLines({ signers }: AdminResults["acceptRestore"]): readonly string[] {
  return [
    ...signers.map(({ signer, nonce }) => `${signer} goes on above nonce ${nonce}.`),
    "What was recorded after the backup is lost: limits may have less used than they had, and changes of clients, keys and freezes since then are undone. Look at countersign status.",
  ]
}
