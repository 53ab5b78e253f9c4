import { dayMs } from "../../std/time/duration.ts"

import type { KeyView } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import { utcText } from "../../std/time/time-words.ts"
import { argument, option, parsed, type Given } from "../cli/command.ts"
import { table, type Line, tell } from "../cli/print.ts"
import { confirmDeed } from "../cli/terminal.ts"
import type { Admin } from "../installation/admin.ts"
import { adminCommand, yesOption } from "../installation/installation-command.ts"
import { sendSigned, type AcceptedOperation } from "./send-signed.ts"

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

/** Of what approves: for how long that is good, and what the venue calls the agent. */
export const termOptions = {
  validDays: parsed(
    option("--valid-days <n>", "for how many days the approval is good, 1 to 90"),
    (text) => (/^([1-9]|[1-8]\d|90)$/.test(text) ? Number(text) : undefined),
    "a whole number from 1 to 90",
  ),
  label: option("--label <label>", "the agent's name at the venue; its name here if left out"),
}

/** `countersign agent renew NAME`: where the venue's struct is in venue.yaml. */
export const agentRenew = adminCommand({
  changes: "installation",
  description: "extend an agent key's approval at the venue",
  examples: ["countersign agent renew mm --valid-days 30"],
  options: { name: argument("<name>", "the agent key"), ...termOptions },
  keys: "needed",
  call: async (admin, { name, label = name, validDays }) => {
    const ask = { agent: name, validDays: daysOf({ validDays }), label }
    return sendSigned(await admin.call("renewAgent", ask), admin, `the renewal of ${name}`)
  },
  print: (accepted) => [approvedLine(accepted)],
})

/** `countersign agent revoke NAME`: at the venue, where its struct is in venue.yaml; then it never signs again. */
export const agentRevoke = adminCommand({
  changes: "installation",
  description: "end an agent key's approval at the venue, for good",
  examples: ["countersign agent revoke mm", "countersign agent revoke mm --yes"],
  options: { name: argument("<name>", "the agent key"), ...yesOption },
  keys: "needed",
  call: async (admin, { name, yes }, terminal) => {
    const left = await clientsWithoutOther(name, admin)
    const loss = left.length === 0 ? "" : ` Nothing else signs for ${left.join(", ")}.`
    if (!yes) await confirmDeed(terminal, `Revoke the agent key ${name} for good?${loss}`)
    else if (loss !== "") tell(terminal, loss.trim())
    const signed = await admin.call("revokeAgent", { agent: name })
    return sendSigned(signed, admin, `the revocation of ${name}`)
  },
  print: ({ record }, { name }) => [`${name} is revoked and never signs again (record ${record}).`],
})

/** The clients that nothing is signed for any more once this key has ended. */
async function clientsWithoutOther(
  name: string,
  admin: Pick<Admin, "call">,
): Promise<readonly string[]> {
  const keys = await admin.call("listKeys", {})
  const now = Date.now()
  const others = keys
    .filter(({ approval }) => approval === "unknown" || approval === "approved")
    .filter((key) => key.name !== name && now < (key.expires_at ?? Infinity))
    .map((key) => key.name)
  const clients = await admin.call("listClients", {})
  return clients
    .filter((client) => !client.revoked && client.keys.includes(name))
    .filter((client) => !client.keys.some((each) => others.includes(each)))
    .map((client) => client.name)
}

/** Days that had to be given. @throws {Fault} `usage`. */
export function daysOf({ validDays }: Pick<Given<typeof termOptions>, "validDays">): number {
  if (validDays !== undefined) return validDays
  throw new Fault("usage", "For how long? Add --valid-days N, from 1 to 90.")
}

/** The agent key of a name. @throws {Fault} `name_unknown`, `usage`. */
export async function findAgent(admin: Admin, name: string): Promise<KeyView> {
  const key = (await admin.call("listKeys", {})).find((each) => each.name === name)
  if (key?.role === "agent") return key
  if (key !== undefined) throw new Fault("usage", `${name} is a wallet key; name an agent key.`)
  throw new Fault(
    "name_unknown",
    `There is no key named ${name}; countersign agent status shows the agent keys.`,
  )
}

export function approvedLine({ record, key }: AcceptedOperation): string {
  return `${key.name} is approved ${untilText(key)} (record ${record}).`
}

/** What is known of an approval's end, in words. */
export function untilText({ expires_at: expiresAt }: KeyView): string {
  return expiresAt === null ? "for a time not known here" : `until ${utcText(expiresAt)}`
}
