import { hasEnded, type KeyEntry } from "../ledger/records/bindings.ts"

type Agent = Pick<KeyEntry, "name" | "wallet">
type Held = {
  readonly keys: {
    get(name: string): (Parameters<typeof hasEnded>[0] & Pick<KeyEntry, "role">) | undefined
  }
}

/** Whether an agent's wallet key is here to sign an approval. */
export function isWalletHeld({ wallet }: Pick<Agent, "wallet">, { keys }: Held): boolean {
  const held = keys.get(wallet ?? "")
  return held?.role === "wallet" && !hasEnded(held)
}

/** What puts another key in an agent's place: a rotation, where its wallet's key is held to approve the successor. */
export function succeedCommand(agent: Agent, held: Held): string {
  const { name, wallet } = agent
  if (isWalletHeld(agent, held)) return `countersign agent rotate ${name} --valid-days 30`
  const by = wallet?.startsWith("0x") === true ? `${wallet} --external` : "<wallet>"
  return `countersign agent approve <new-key> --generate --wallet ${by} --valid-days 30`
}
