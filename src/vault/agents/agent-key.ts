import { Fault } from "../../std/fault.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { hasEnded, type KeyEntry } from "../ledger/records/bindings.ts"

/** The key of a name. @throws {Fault} `name_unknown`. */
export function keyNamed(name: string, { keys }: ActiveSet): KeyEntry {
  const key = keys.get(name)
  if (key !== undefined) return key
  throw new Fault(
    "name_unknown",
    `There is no key named ${name}; countersign keys list shows them.`,
  )
}

/**
 * The agent key of a name.
 *
 * @throws {Fault} `name_unknown`, `usage` when it is a wallet key or made for another network.
 */
export function agentNamed(name: string, set: ActiveSet): KeyEntry {
  const key = keyNamed(name, set)
  if (key.role !== "agent") {
    throw new Fault("usage", `${name} is a wallet key; name an agent key.`)
  }
  if (key.network !== set.profile.network) {
    throw new Fault(
      "usage",
      `The key ${name} was made for another network than the one in venue.yaml.`,
    )
  }
  return key
}

/** The agent key of a name, which may still sign. @throws {Fault} as {@link agentNamed}, and `usage` when it has ended. */
export function agentToApprove(name: string, set: ActiveSet): KeyEntry {
  const agent = agentNamed(name, set)
  if (!hasEnded(agent)) return agent
  throw new Fault(
    "usage",
    `The key ${name} is ${agent.approval} and never signs again; make another agent key.`,
  )
}

/** The wallet key of an agent, held here; else `wayOn` says what to do. @throws {Fault} `usage` when it isn't. */
export function walletHeldFor(
  { name, wallet }: KeyEntry,
  { keys }: ActiveSet,
  wayOn: string,
): KeyEntry {
  const held = wallet === null ? undefined : keys.get(wallet)
  if (held?.role === "wallet") return held
  const why =
    wallet === null
      ? `${name} belongs to no wallet key held here`
      : `The wallet of ${name} is ${wallet}, which isn't held here`
  throw new Fault("usage", `${why}; ${wayOn}.`)
}

/** Nothing is signed that can't be sent. @throws {Fault} `undisclosed` without a base address. */
export function assertSendable({ profile }: ActiveSet): void {
  if (profile.baseUrl !== undefined) return
  throw new Fault(
    "undisclosed",
    "No venue is configured to send this to; add to venue.yaml: base_url: https://…",
  )
}
