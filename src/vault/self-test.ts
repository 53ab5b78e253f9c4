import { assertSigns } from "./keyring/assert-signs.ts"
import { generateSecret } from "./keyring/generate-secret.ts"
import { withSecret } from "./keyring/with-secret.ts"
import type { Vault } from "./vault.ts"

/**
 * Does what a request needs, without one: a throw-away key signs and is recovered from its signature, and the
 * ledger's thread makes a row durable. While the disk is nearly full it is only asked to answer, so that
 * what room is left stays for cancels and freezes.
 *
 * @throws {Fault} `signature_check_failed`, `ledger_unavailable`.
 */
export async function selfTest({
  ledger,
  clock,
  disk,
  curve,
}: Pick<Vault, "ledger" | "clock" | "disk" | "curve">): Promise<void> {
  await withSecret(generateSecret(), (secret) => assertSigns(secret, curve))
  if (disk.low() === undefined) await ledger.safety.probe(clock.nowMs())
  else await ledger.count()
}
