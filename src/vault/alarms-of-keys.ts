import { alarm, type Alarm } from "../link/alarms.ts"
import type { KeyEntry } from "./bindings.ts"
import { dayMs } from "./config-values.ts"
import type { Vault } from "./vault.ts"

/** Agents whose approval ends within `agent_warning`, and within a day. */
export function keyAlarms(vault: Pick<Vault, "active" | "clock">): readonly Alarm[] {
  const { keys, config } = vault.active()
  const nowMs = vault.clock.nowMs()
  return [...keys.values()].flatMap((key) => {
    const leftMs = timeLeft(key, nowMs)
    if (leftMs === undefined) return []
    const { name } = key
    const about = {
      subject: name,
      advice: `countersign agent rotate ${name} puts a successor in its place`,
    }
    return [
      ...(leftMs < dayMs ? [alarm("agent_ends_today", { ...about, fact: today(name) })] : []),
      ...(leftMs <= config.agentWarningMs
        ? [alarm("agent_ends", { ...about, fact: soon(key, nowMs + leftMs) })]
        : []),
    ]
  })
}

function timeLeft({ role, approval, expiresAtMs }: KeyEntry, nowMs: number): number | undefined {
  if (role !== "agent" || approval !== "approved" || expiresAtMs === null) return undefined
  return expiresAtMs - nowMs
}

function today(name: string): string {
  return `The approval of the agent key ${name} ends within a day, or has ended`
}

function soon({ name }: KeyEntry, endMs: number): string {
  return `The approval of the agent key ${name} ends on ${new Date(endMs).toISOString().slice(0, 10)}`
}
