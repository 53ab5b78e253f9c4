import type { KeyView } from "../../contract/bot-views.ts"
import { table, type Line } from "../cli/print.ts"
import { adminCommand } from "../installation/installation-command.ts"
import { utcText } from "../../std/time/time-words.ts"

/** An agent key with the whole days that are left of its approval. */
export type AgentView = KeyView & { readonly days_left: number | null }

/** `countersign agent status` */
export const agentStatus = adminCommand({
  description: "show the agent keys, the one that ends next first, and when each signed last",
  examples: ["countersign agent status"],
  call: async (admin) => {
    const keys = await admin.call("listKeys", {})
    const nowMs = Date.now()
    const agents = keys.filter(({ role }) => role === "agent").map((key) => agentView(key, nowMs))
    return agents.toSorted((one, other) => endOf(one) - endOf(other))
  },
  print: agentsTable,
})

const dayMs = 86_400_000

/** Adds the days, rounded down; none are left once the approval has ended. */
export function agentView(key: KeyView, nowMs: number): AgentView {
  const { approval, expires_at: expiresAt } = key
  const isKnown = approval === "approved" && expiresAt !== null
  const days_left = isKnown ? Math.max(0, Math.floor((expiresAt - nowMs) / dayMs)) : null
  return { ...key, days_left }
}

/** When an approval ends that still counts; what has none comes last. */
function endOf({ days_left: daysLeft, expires_at: expiresAt }: AgentView): number {
  return daysLeft === null || expiresAt === null ? Number.MAX_SAFE_INTEGER : expiresAt
}

/** Agents in columns, for people. */
export function agentsTable(agents: readonly AgentView[]): readonly Line[] {
  if (agents.length === 0) {
    return ["No agent keys yet; countersign agent approve NAME --generate --wallet W makes one."]
  }
  const rows = agents.map((agent) => [
    agent.name,
    agent.address,
    agent.wallet ?? "-",
    agent.approval,
    agent.days_left === null ? "-" : String(agent.days_left),
    agent.last_used === null ? "never" : utcText(agent.last_used),
  ])
  return [table(["NAME", "ADDRESS", "WALLET", "APPROVAL", "DAYS LEFT", "LAST USED"], rows)]
}
