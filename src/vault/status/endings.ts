import type { Ending, Facts } from "../../contract/facts.ts"
import { type ActiveSet, viewOf } from "../active/active-set.ts"
import { dayMs } from "../../std/time/duration.ts"
import { utcText } from "../../std/time/time-words.ts"
import { succeedCommand } from "./succeed-command.ts"

/** Agents' approvals and clients' tokens that end within a day or `agent_warning` unless somebody renews them, or have ended. */
export function endingsOf(set: ActiveSet, nowMs: number): readonly Ending[] {
  const { keys, clients, config } = set
  const approved = [...keys.values()].filter(({ approval }) => approval === "approved")
  const valid = clients.filter(({ token_hash }) => token_hash !== null)
  return [...approved, ...valid].flatMap((each): readonly Ending[] => {
    const { name, expires_at: at } = each
    if (typeof at !== "number") return []
    const leftMs = at - nowMs
    const is_soon = leftMs <= config.agentWarningMs
    if (!is_soon && leftMs >= dayMs) return []
    const ends = { name, at, is_soon, ...("role" in each ? ofApproval(each, set) : ofToken(name)) }
    const message = `${ends.what} ${leftMs > 0 ? "ends" : "ended"} at ${utcText(at)}.`
    return [{ ...ends, message }]
  })
}

type Said = Pick<Ending, "of" | "what" | "fix">

function ofApproval(agent: Parameters<typeof succeedCommand>[0], set: ActiveSet): Said {
  return {
    of: "approval",
    what: `The approval of the agent key ${agent.name}`,
    fix: `put a successor in its place: ${succeedCommand(agent, set)}`,
  }
}

function ofToken(name: string): Said {
  return {
    of: "token",
    what: `The token of the client ${name}`,
    fix: `give it more time: countersign clients renew ${name}`,
  }
}

/** Clients whose every key has ended, or is for another network: nothing of theirs is signed. */
export function keylessClients(set: ActiveSet, nowMs: number): Facts["keyless"] {
  const { clients, usableKeys } = set
  const signs = (name: string): boolean => {
    const key = usableKeys.get(name)
    const { network } = viewOf(name, set).profile
    if (key?.network !== network) return false
    return key.approval !== "approved" || nowMs < (key.expires_at ?? Infinity)
  }
  return clients
    .filter(({ token_hash, keys }) => token_hash !== null && !keys.some(signs))
    .map(({ name: client }) => ({
      client,
      message: `The client ${client} has no key left that signs: all that it asks for is refused, cancels too.`,
      fix: `make one and give it: countersign clients set ${client} --keys <key>`,
    }))
}
