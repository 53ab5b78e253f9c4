import { hasEnded } from "./bindings.ts"
import { frozen } from "./freeze.ts"
import { lowSentence } from "./low-disk.ts"
import { standstillOf } from "./safety-methods.ts"
import type { Vault } from "./vault.ts"

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
  const low = vault.disk.low()
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
