import { alarm, type Alarm, type AlarmName } from "../../link/alarms.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { dayMs } from "../config/config-sections.ts"
import { utcText } from "../../std/time/time-words.ts"
import { succeedCommand } from "./succeed-command.ts"

/** Agents' approvals and clients' tokens that end within `agent_warning` unless somebody renews them, or have ended. */
export function endAlarms(set: ActiveSet, nowMs: number): readonly Alarm[] {
  const { keys, clients, config } = set
  const approved = [...keys.values()].filter(({ approval }) => approval === "approved")
  const valid = clients.filter(({ token_hash }) => token_hash !== null)
  return [...approved, ...valid].flatMap((each) => {
    const { name: subject, expires_at } = each
    if (typeof expires_at !== "number") return []
    const says = "role" in each ? ofApproval : ofToken
    const command = "role" in each ? succeedCommand(each, set) : `${renewal} ${subject}`
    const tell = (name: AlarmName, words: string): Alarm => {
      const fact = `${says.what} ${subject} ${words}`
      return alarm(name, { subject, fact, advice: `${says.fix}: ${command}` })
    }
    const leftMs = expires_at - nowMs
    const soon = `${leftMs > 0 ? "ends" : "ended"} at ${utcText(expires_at)}`
    return [
      ...(leftMs < says.overMs ? [tell(says.overAlarm, says.over)] : []),
      ...(leftMs <= config.agentWarningMs ? [tell(says.soonAlarm, soon)] : []),
    ]
  })
}

/** Clients whose every key has ended, or is for another network: nothing of theirs is signed. */
export function keylessAlarms(set: ActiveSet, nowMs: number): readonly Alarm[] {
  return keylessClients(set, nowMs).map((subject) => {
    const fact = `The client ${subject} has no key left that signs: all that it asks for is refused, cancels too`
    const advice = `make one and give it: countersign clients set ${subject} --keys <key>`
    return alarm("client_without_keys", { subject, fact, advice })
  })
}

/** Those that may ask, but by no key. */
export function keylessClients(
  { clients, usableKeys, profile }: ActiveSet,
  nowMs: number,
): readonly string[] {
  const signs = (name: string): boolean => {
    const key = usableKeys.get(name)
    if (key?.network !== profile.network) return false
    return key.approval !== "approved" || nowMs < (key.expires_at ?? Infinity)
  }
  return clients
    .filter(({ token_hash, keys }) => token_hash !== null && !keys.some(signs))
    .map(({ name }) => name)
}

const renewal = "countersign clients renew"

/** The graver alarm comes with less than `overMs` left, on top of the milder one. */
const ofApproval = {
  what: "The approval of the agent key",
  soonAlarm: "agent_ends",
  overAlarm: "agent_ends_today",
  overMs: dayMs,
  over: "ends within a day, or has ended",
  fix: "put a successor in its place",
} as const

const ofToken = {
  what: "The token of the client",
  soonAlarm: "token_ends",
  overAlarm: "token_ended",
  overMs: 1,
  over: "has ended: all that it asks for is refused, cancels too",
  fix: "give it more time",
} as const
