import type { ClientView, KeyView } from "../../link/views/views.ts"

/** The key that takes another one's place: one that is there already, or the name for a new one. */
export type Successor =
  { readonly kind: "held"; readonly key: KeyView } | { readonly kind: "new"; readonly name: string }

/** A name that ends like this is a successor's, and its number goes on. */
const numbered = /-([2-9]|[1-9]\d)$/

/**
 * Finds the successor of an agent key: `mm-2` of `mm`, `mm-3` of `mm-2`. One that was prepared, or left
 * over when a rotation was cut off, is an agent of the same wallet that no client uses yet.
 */
export function successorOf(
  from: KeyView,
  { keys, clients }: { readonly keys: readonly KeyView[]; readonly clients: readonly ClientView[] },
): Successor {
  const number = numbered.exec(from.name)?.[1]
  const stem = number === undefined ? from.name : from.name.slice(0, -number.length - 1)
  for (let next = Number(number ?? 1) + 1; ; next += 1) {
    const name = `${stem}-${next}`
    const key = keys.find((each) => each.name === name)
    if (key === undefined) return { kind: "new", name }
    const isUsed = clients.some((client) => client.keys.includes(name))
    if (!isUsed && mayFollow(key, from)) return { kind: "held", key }
  }
}

/** Whether a key that is there already can take another one's place. */
function mayFollow({ role, wallet, network, approval }: KeyView, from: KeyView): boolean {
  const isLasting = approval === "unknown" || approval === "approved"
  return role === "agent" && wallet === from.wallet && network === from.network && isLasting
}
