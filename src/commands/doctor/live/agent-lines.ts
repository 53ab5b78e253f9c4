import type { KeyView } from "../../../contract/bot-views.ts"
import { hasEnded } from "../../../vault/ledger/records/bindings.ts"
import { isWalletHeld, succeedCommand } from "../../../vault/status/succeed-command.ts"
import type { Profile } from "../../../venue/profile.ts"
import { holds, lacks, notKnown, type LiveLine } from "./live-line.ts"
import { addFix } from "./venue-lines.ts"
import { spanWords } from "../../../std/time/time-words.ts"

/** What the agents are held against. */
type AgentsAt = {
  readonly profile: Profile
  readonly nowMs: number
  /** With less than this left an agent is as good as ended. */
  readonly warningMs: number
}

/** Agent keys that may still sign. */
export function agentsOf(keys: readonly KeyView[]): readonly KeyView[] {
  return keys.filter((key) => key.role === "agent" && !hasEnded(key))
}

/** Whether there are agents, each of this network, approved for longer than the warning, for accounts that can be signed for. */
export function agentLines(keys: readonly KeyView[], at: AgentsAt): readonly LiveLine[] {
  const agents = agentsOf(keys)
  if (agents.length === 0) {
    const fix = "countersign agent approve mm --generate --wallet main --valid-days 30"
    return [lacks("agents", "There is no agent key, so no order can be signed.", fix)]
  }
  const named = new Map(keys.map((key) => [key.name, key]))
  const wrong = agents.flatMap((agent) => wrongAgent(agent, { ...at, keys: named }))
  if (wrong.length > 0) return wrong
  return [holds("agents", `${agents.map((agent) => agentWords(agent, at)).join("; ")}.`)]
}

function agentWords({ name, targets, expires_at: endsAtMs }: KeyView, { nowMs }: AgentsAt): string {
  const accounts = targets.length === 0 ? "its wallet's account alone" : targets.join(", ")
  return `${name} for ${accounts}, ${spanWords((endsAtMs ?? nowMs) - nowMs)} left`
}

type Among = AgentsAt & { readonly keys: ReadonlyMap<string, KeyView> }

function wrongAgent(agent: KeyView, at: Among): readonly LiveLine[] {
  return [...approvalLines(agent, at), ...targetLines(agent, at)]
}

function approvalLines(agent: KeyView, at: Among): readonly LiveLine[] {
  const { profile, nowMs, warningMs } = at
  const { name, network, approval, expires_at: endsAtMs } = agent
  if (network !== profile.network) {
    const message = `${name} was made for another network than venue.yaml's, and signs nothing here.`
    return [lacks("agents", message, `countersign keys remove ${name}`)]
  }
  if (approval !== "approved" || endsAtMs === null) {
    const message = `no approval of ${name} went through this daemon.`
    const by = isWalletHeld(agent, at) ? "" : ` --wallet ${agent.wallet ?? "ADDRESS"} --external`
    return [notKnown("agents", message, `countersign agent approve ${name}${by} --valid-days 30`)]
  }
  if (endsAtMs - nowMs > warningMs) return []
  const message = `The approval of ${name} has ${spanWords(endsAtMs - nowMs)} left, and agent_warning is ${spanWords(warningMs)}.`
  return [lacks("agents", message, succeedCommand(agent, at))]
}

function targetLines({ name, targets }: KeyView, { profile }: AgentsAt): readonly LiveLine[] {
  const { agentStructWithTarget: struct } = profile
  if (targets.length === 0 || struct.known) return []
  const message = `${name} has targets, and nothing can be signed for them.`
  return [lacks("agents", message, addFix(struct.addLine))]
}
