import { Fault } from "../../std/fault.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { loadLedgerKey } from "../../vault/ledger/audit/ledger-key.ts"
import { command } from "../cli/command.ts"
import { becomeOwner } from "../installation/caller.ts"
import { installationOf, installationOptions } from "../installation/installation-command.ts"

/** `countersign ledger host-key` */
export const ledgerHostKey = command({
  description: "print the public key by which this host seals what it adds to a shared ledger",
  notes:
    "For ledger.fleet.hosts in countersign.yaml, the same on all hosts. The key itself is ledger.key in the state directory; it is made if it isn't there.",
  examples: ["countersign ledger host-key"],
  options: installationOptions,
  run: async (options, { stdout }) => {
    stdout.write(`${await publicKeyOf(installationOf(options))}\n`)
    return 0
  },
})

async function publicKeyOf(installation: Installation): Promise<string> {
  becomeOwner(installation.stateDir)
  const key = await loadLedgerKey(pathsOf(installation).ledgerKeyFile, undefined)
  if (key.ok) return key.value.publicKey
  throw new Fault("ledger_unusable", `${key.error}.`)
}
