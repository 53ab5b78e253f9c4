import { hasEnded, type KeyEntry } from "../ledger/records/bindings.ts"

type Agent = Pick<KeyEntry, "name" | "wallet">
type Keys = {
  get(name: string): (Parameters<typeof hasEnded>[0] & Pick<KeyEntry, "role">) | undefined
}

/** What puts another key in an agent's place: a rotation, where its wallet's key is held to approve the successor. */
export function succeedCommand({ name, wallet }: Agent, { keys }: { readonly keys: Keys }): string {
  const held = keys.get(wallet ?? "")
  if (held?.role === "wallet" && !hasEnded(held))
    return `countersign agent rotate ${name} --valid-days 30`
  const by = wallet?.startsWith("0x") === true ? `${wallet} --external` : "<wallet>"
  return `countersign agent approve <new-key> --generate --wallet ${by} --valid-days 30`
}
