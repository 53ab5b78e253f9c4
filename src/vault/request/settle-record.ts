import type { Outcome } from "../../link/calls/both-ways.ts"
import { utf8 } from "../../std/bytes.ts"
import { parseAddress } from "../../venue/address.ts"
import { isJsonObject, type JsonObject, parseStrictJson } from "../../venue/json.ts"
import { type ActiveSet, walletAddressOf, type Acts } from "../active/active-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Act } from "../ledger/records/row.ts"
import { type KeyEntry, operatorName } from "../ledger/records/bindings.ts"
import type { StoredRecord } from "../ledger/records/entries.ts"
import type { AutoFreeze } from "../watch/auto-freeze.ts"
import { rateAddress } from "./spending.ts"

/** What the words about requests change. */
export type SettleContext = Acts & { readonly ledger: Ledger; readonly autoFreeze: AutoFreeze }

/**
 * Records what became of a request, and what follows from it for an agent key. `record` is as the ledger
 * told it just now.
 */
export async function settleRecord(
  record: StoredRecord,
  told: Outcome,
  vault: SettleContext,
): Promise<void> {
  const outcome = meaningOf(told, record, vault.active())
  const act = outcome.kind === "accepted" ? actFollowing(record, vault.active()) : undefined
  vault.autoFreeze.settled(record, outcome)
  correctBudget(record, told, vault)
  // Queued together they share a commit, so that no crash parts a revocation from what follows of it.
  await Promise.all([
    vault.ledger.settle(record.id, keptPart(outcome, record), vault.now()),
    ...(act === undefined ? [] : [vault.act(act)]),
  ])
}

/**
 * Where the venue says that a budget is spent, it has counted more than was counted here. A gate that lies
 * about it can only hold off what doesn't reduce risk, and make cancels of an address slower.
 */
function correctBudget(
  { signer, target }: StoredRecord,
  told: Outcome,
  vault: SettleContext,
): void {
  if (signer === null || told.kind !== "refused" || told.spent === undefined) return
  if (!vault.active().config.budgets.isOn[told.spent]) return
  vault.ledger.budgets.fill(told.spent, rateAddress({ signer, target: target ?? undefined }))
}

/**
 * A nonce that is refused as used, when the same bytes may have been sent before, was used by those. What the venue
 * put off is as if it had never been sent, where its idempotency key may have it sent again.
 */
function meaningOf(
  told: Outcome,
  { keepsAnswer }: StoredRecord,
  { profile: { duplicateNonceCode, notProcessedCodes } }: ActiveSet,
): Outcome {
  if (told.kind !== "refused") return told
  const { status, code } = told
  if (told.again === true) return code === duplicateNonceCode ? { ...told, kind: "accepted" } : told
  const isPutOff = status === 429 || notProcessedCodes.includes(code)
  return isPutOff && keepsAnswer ? { kind: "unsent", withdrawn: true, status, code } : told
}

/** Nobody can ask again for the answer of a request without an idempotency key. */
function keptPart(outcome: Outcome, { keepsAnswer }: StoredRecord): Outcome {
  if (keepsAnswer || !("answer" in outcome)) return outcome
  return { ...outcome, answer: undefined }
}

const dayMs = 86_400_000

/** ECMAScript's last time: a later one is no date, and beyond 2^53 no exact number. */
const maxTimeMs = 8_640_000_000_000_000

/**
 * What an accepted account operation says about an agent key held here: approved until when, or
 * revoked. That the venue accepted it is the word of whoever sent it, so it is heard once and only of an
 * agent of the wallet that signed: whoever may revoke agents of one wallet can't end another's.
 */
export function actFollowing(record: StoredRecord, set: ActiveSet): Act | undefined {
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
): Act | undefined {
  const validDays = givesDays(record) ? recordedBody(record.body)["valid_days"] : undefined
  if (typeof validDays !== "number") return undefined
  const expires_at = Math.min(record.decidedAtMs + validDays * dayMs, maxTimeMs)
  const wallet = wasSignedElsewhere(record) ? record.signer : null
  return { act: "agent_approved", ...about, expires_at, ...(wallet !== null && { wallet }) }
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

/** A recorded canonical body, which the strict reader accepted once already; empty where there is none. */
export function recordedBody(text: string | null): JsonObject {
  const parsed = parseStrictJson(utf8(text ?? "{}"))
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
}
