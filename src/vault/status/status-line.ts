import type { Vault } from "../core/vault.ts"
import { hasEnded } from "../ledger/records/bindings.ts"
import { frozen } from "../ledger/records/freeze.ts"
import { lowSentence, diskWarnings } from "../watch/disk-space.ts"
import { venueClockWarnings } from "../watch/venue-clock.ts"
import { standstillOf } from "./standstill.ts"
import { warningsOf } from "./warnings.ts"

/** Of a policy's hash, enough to tell two apart. */
const shownHashDigits = 12

/**
 * What a vault does now, for the line that `systemctl status` shows: what keeps it from signing, if anything
 * does, then what it has, then `refused`: why the files on disk aren't in force.
 */
export function statusLine(vault: Vault, refused: string | undefined = vault.alarm()): string {
  return [stateWords(vault), setWords(vault), refused]
    .filter((part) => part !== undefined)
    .join("; ")
}

/** What keeps it from signing, or that nothing does: words without a capital and a full stop. */
export function stateWords(vault: Vault): string {
  const [standstill] = standstillOf(vault)
  if (standstill !== undefined) {
    return `signs nothing: ${standstill.state}: ${unended(standstill.message)}`
  }
  if (vault.state() === "locked") return "locked: countersign unlock loads the keys"
  const low = vault.disk.low
  if (low !== undefined) return `signs only what reduces risk: ${unended(lowSentence(low))}`
  const [freeze] = vault.active().freezes
  if (freeze !== undefined) return `frozen: ${unended(frozen(freeze).message)}`
  return "signing"
}

function setWords(vault: Vault): string {
  const { keys, clients, policyHash } = vault.active()
  const usable = [...keys.values()].filter((key) => !hasEnded(key)).length
  const served = clients.filter(({ tokenHash }) => tokenHash !== null).length
  const policy = policyHash.slice(0, shownHashDigits)
  return `${counted(usable, "key")}, ${counted(served, "client")}, policy ${policy}…`
}

function unended(sentence: string): string {
  return sentence.replace(/\.$/, "")
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** All that an operator should know of a vault now, the gravest first. */
export function vaultWarnings(vault: Vault): readonly string[] {
  const alarm = vault.alarm()
  const setBack = vault.ledger.safety.clockWarning()
  return [
    ...(alarm === undefined ? [] : [alarm]),
    ...standstillOf(vault).map(({ message }) => message),
    ...(setBack === undefined ? [] : [setBack]),
    ...diskWarnings(vault.disk),
    ...venueClockWarnings(vault.venueClock, vault.active()),
    ...vault.surroundings.warnings,
    ...(vault.curve.warning === undefined ? [] : [vault.curve.warning]),
    ...vault.checkpoints.alarms(),
    ...warningsOf(vault.active(), vault.now()),
  ]
}
