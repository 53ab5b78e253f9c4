import type { ActiveSet } from "../active/active-set.ts"
import { hasEnded, type KeyEntry } from "../ledger/records/bindings.ts"

/** What puts another key in an agent's place: a rotation, where its wallet's key is held to approve the successor. */
export function succeedCommand({ name, wallet }: KeyEntry, { keys }: ActiveSet): string {
  const held = keys.get(wallet ?? "")
  if (held?.role === "wallet" && !hasEnded(held)) return `countersign agent rotate ${name}`
  const by = wallet?.startsWith("0x") === true ? `${wallet} --external` : "<wallet>"
  return `countersign agent approve <new-key> --generate --wallet ${by} --valid-days 30`
}
