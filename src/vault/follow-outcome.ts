import { parseAddress } from "../venue/address.ts"
import type { ActiveSet } from "./active-set.ts"
import { walletAddressOf } from "./agent-key.ts"
import type { KeyEntry } from "./bindings.ts"
import type { AdminEntry } from "./ledger/admin-entry.ts"
import type { StoredRecord } from "./ledger/ledger.ts"
import { operatorName } from "./reference-prices.ts"
import { recordedBody } from "./recorded-body.ts"

const dayMs = 86_400_000

/** ECMAScript's last time: a later one is no date, and beyond 2^53 no exact number. */
const maxTimeMs = 8_640_000_000_000_000

/**
 * What an accepted account operation says about an agent key held here: approved until when, or
 * revoked. That the venue accepted it is the word of whoever sent it, so it is heard once and only of an
 * agent of the wallet that signed: whoever may revoke agents of one wallet can't end another's.
 */
export function actFollowing(record: StoredRecord, set: ActiveSet): AdminEntry | undefined {
  if (record.state === "accepted" || record.state === "refused") return undefined
  const agent = agentOf(record, set)
  if (agent === undefined || !mayChange(record, agent, set)) return undefined
  const about = { name: agent.name, record: record.id }
  return record.operation === "revokeAgent"
    ? { act: "agent_revoked", ...about }
    : approvalFollowing(record, about)
}

/** Days count from the signature: of a renewal that is the earliest end there can be. */
function approvalFollowing(
  record: StoredRecord,
  about: { readonly name: string; readonly record: string },
): AdminEntry | undefined {
  const validDays = givesDays(record) ? recordedBody(record.body)["valid_days"] : undefined
  if (typeof validDays !== "number") return undefined
  const expiresAtMs = Math.min(record.decidedAtMs + validDays * dayMs, maxTimeMs)
  const wallet = wasSignedElsewhere(record) ? record.signer : null
  return { act: "agent_approved", ...about, expiresAtMs, ...(wallet !== null && { wallet }) }
}

/** The agent key held here that a recorded account operation is about. */
export function agentOf(record: StoredRecord, { keys }: ActiveSet): KeyEntry | undefined {
  const value = recordedBody(record.body)["agent_address"]
  const address = typeof value === "string" ? parseAddress(value) : undefined
  return [...keys.values()].find((key) => key.role === "agent" && key.address === address)
}

/** Whether a wallet held elsewhere signs this request of the operator: its key stands under its address. */
export function wasSignedElsewhere({ client, key, signer }: StoredRecord): boolean {
  return client === operatorName && key !== null && key === signer
}

function givesDays({ operation }: StoredRecord): boolean {
  return operation === "approveAgent" || operation === "renewAgent"
}

/** Of an agent whose wallet isn't known here nobody knows better than who signed. */
function mayChange({ signer }: StoredRecord, agent: KeyEntry, set: ActiveSet): boolean {
  const { approval, wallet } = agent
  if (approval === "revoked" || approval === "removed") return false
  return wallet === null || walletAddressOf(agent, set) === signer
}
