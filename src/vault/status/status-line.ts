import type { Vault } from "../core/vault.ts"
import { hasEnded } from "../ledger/records/bindings.ts"
import { signingNow } from "./signing.ts"

/** Of a policy's hash, enough to tell two apart. */
const shownHashDigits = 12

/**
 * What a vault does now, for the line that `systemctl status` shows: what it signs and why not more, then what it
 * has, then `refused`: why the files on disk aren't in force.
 */
export function statusLine(vault: Vault, refused: string | undefined = vault.alarm()): string {
  return [signingNow(vault).words, setWords(vault), refused]
    .filter((part) => part !== undefined)
    .join("; ")
}

function setWords(vault: Vault): string {
  const { keys, clients, policyHash } = vault.active()
  const usable = [...keys.values()].filter((key) => !hasEnded(key)).length
  const served = clients.filter(({ tokenHash }) => tokenHash !== null).length
  const policy = policyHash.slice(0, shownHashDigits)
  return `${counted(usable, "key")}, ${counted(served, "client")}, policy ${policy}…`
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}
