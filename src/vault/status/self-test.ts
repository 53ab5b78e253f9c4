import { assertSigns } from "../keyring/assert-signs.ts"
import { generateSecret } from "../keyring/generate-secret.ts"
import { withSecret } from "../../std/bytes.ts"
import type { StatusSources } from "./sources.ts"

type Tested = Pick<StatusSources, "ledger" | "now" | "disk" | "curve">

/**
 * Does what a request needs, without one: a throw-away key signs and is recovered from its signature, and the
 * ledger's thread makes a row durable. While the disk is nearly full it is only asked to answer, so that
 * what room is left stays for cancels and freezes.
 *
 * @throws {Fault} `signature_check_failed`, `ledger_unavailable`.
 */
export async function selfTest({ ledger, now, disk, curve }: Tested): Promise<void> {
  withSecret(generateSecret(), (secret) =>
    assertSigns({ secret, publicKey: curve.publicKeyOf(secret) }, curve),
  )
  if (disk.low === undefined) await ledger.probe(now())
  else await ledger.count()
}

/**
 * One beat, to be called again and again: says `alive` only after `test` has passed. A test that takes longer
 * than a beat isn't begun a second time; one that fails is told once, and once more when it passes again.
 */
export function watchdogBeat({
  test,
  alive,
  tell,
}: {
  readonly test: () => Promise<void>
  readonly alive: () => void
  readonly tell: (event: "failed" | "passed", error?: unknown) => void
}): () => Promise<void> {
  let isTesting = false
  let isFailing = false
  return async () => {
    if (isTesting) return
    isTesting = true
    try {
      await test()
      if (isFailing) tell("passed")
      isFailing = false
      alive()
    } catch (error) {
      if (!isFailing) tell("failed", error)
      isFailing = true
    } finally {
      isTesting = false
    }
  }
}
