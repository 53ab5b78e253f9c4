import { logFailure } from "./log.ts"
import type { Vault } from "./vault.ts"

/** For the answers to those who waited; whoever asks meanwhile is told the same. */
const answeringMs = 200

/**
 * Ends the process with 1 soon after the ledger broke, so that the one that is started in its place reads
 * what the disk holds.
 */
export function endWithLedger({ ledger, keyring }: Pick<Vault, "ledger" | "keyring">): void {
  void ledger.broken.then((fault) => {
    logFailure("ledger_broken", fault)
    setTimeout(() => {
      keyring.lock() // overwrites the keys
      process.exit(1)
    }, answeringMs)
  })
}
