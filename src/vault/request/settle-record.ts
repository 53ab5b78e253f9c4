import type { Outcome } from "../../link/calls/both-ways.ts"
import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import { utf8 } from "../../std/bytes.ts"
import { parseAddress } from "../../venue/address.ts"
import { isJsonObject, type JsonObject, parseStrictJson } from "../../venue/json.ts"
import { type ActiveSet, walletAddressOf, type Acts, viewOf } from "../active/active-set.ts"
import { isAnswered, asRequest } from "../ledger/found-records.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Outbox } from "../ledger/outbox.ts"
import { type KeyEntry, operatorName, panicName } from "../ledger/records/bindings.ts"
import type { Act, RequestRow } from "../ledger/records/row.ts"
import type { FoundRequest } from "../ledger/store/store.ts"
import type { AutoFreeze } from "../watch/auto-freeze.ts"
import { maxTimeMs } from "../policy/values/local-clock.ts"
import { refuse } from "./refuse.ts"
import { rateAddress } from "./spending.ts"

/** What the words about requests change. */
type SettleContext = Acts & { readonly ledger: Ledger; readonly autoFreeze: AutoFreeze }

/**
 * Records what became of a request, and what follows from it for an agent key. `record` is as the ledger
 * told it just now.
 */
export async function settleRecord(
  record: FoundRequest,
  told: Outcome,
  vault: SettleContext,
): Promise<void> {
  const { row } = record
  const set = viewOf(row.key, vault.active())
  const outcome = meaningOf(told, row, set)
  // What paper's venue accepts says nothing of an agent of the real one.
  const says = outcome.kind === "accepted" && !set.profile.isPaper
  const act = says ? actFollowing(record, set) : undefined
  vault.autoFreeze.settled(record, outcome)
  correctBudget(row, told, { ...vault, set })
  // Queued together they share a commit, so that no crash parts a revocation from what follows of it.
  await Promise.all([
    vault.ledger.settle(row.id, keptPart(outcome, row), vault.now()),
    ...(act === undefined ? [] : [vault.act(act)]),
  ])
}

/**
 * Where the venue says that a budget is spent, it has counted more than was counted here. A gate that lies
 * about it can only hold off what doesn't reduce risk, and make cancels of an address slower.
 */
function correctBudget(
  { signer, target }: RequestRow,
  told: Outcome,
  { ledger, set }: Pick<SettleContext, "ledger"> & { readonly set: ActiveSet },
): void {
  if (told.kind !== "refused" || told.spent === undefined) return
  if (!set.config.budgets.isOn[told.spent]) return
  ledger.budgets.fill(told.spent, rateAddress({ signer, target: target ?? undefined }))
}

/**
 * A nonce that is refused as used, when the same bytes may have been sent before, was used by those. What the venue
 * put off is as if it had never been sent, where its idempotency key may have it sent again.
 */
function meaningOf(
  told: Outcome,
  { idempotency }: RequestRow,
  { profile: { duplicateNonceCode, notProcessedCodes } }: ActiveSet,
): Outcome {
  if (told.kind !== "refused") return told
  const { status, code } = told
  if (told.again === true) return code === duplicateNonceCode ? { ...told, kind: "accepted" } : told
  const isPutOff = status === 429 || notProcessedCodes.includes(code)
  return isPutOff && idempotency !== undefined
    ? { kind: "unsent", withdrawn: true, status, code }
    : told
}

/** Nobody can ask again for the answer of a request without an idempotency key. */
function keptPart(outcome: Outcome, { idempotency }: RequestRow): Outcome {
  if (idempotency !== undefined || !("answer" in outcome)) return outcome
  return { ...outcome, answer: undefined }
}

const dayMs = 86_400_000

/**
 * What an accepted account operation says about an agent key held here: approved until when, or
 * revoked. That the venue accepted it is the word of whoever sent it, so it is heard once and only of an
 * agent of the wallet that signed: whoever may revoke agents of one wallet can't end another's.
 */
export function actFollowing(record: FoundRequest, set: ActiveSet): Act | undefined {
  if (isAnswered(record)) return undefined
  const { row } = record
  const agent = agentOf(row, set)
  if (agent === undefined || !mayChange(row, agent, set)) return undefined
  const about = { name: agent.name, record: row.id }
  if (row.operation === "revokeAgent") return { act: "agent_revoked", ...about }
  const validDays = givesDays(row) ? recordedBody(row.body)["valid_days"] : undefined
  if (typeof validDays !== "number") return undefined
  // Days count from the signature: of a renewal that is the earliest end there can be.
  const expires_at = Math.min(row.at_ms + validDays * dayMs, maxTimeMs)
  const wallet = wasSignedElsewhere(row) && { wallet: row.signer }
  return { act: "agent_approved", ...about, expires_at, ...wallet }
}

/** The agent key held here that a recorded account operation is about. */
export function agentOf({ body }: RequestRow, { keys }: ActiveSet): KeyEntry | undefined {
  const value = recordedBody(body)["agent_address"]
  const address = typeof value === "string" ? parseAddress(value) : undefined
  return [...keys.values()].find((key) => key.role === "agent" && key.address === address)
}

/** Whether a wallet held elsewhere signs this request of the operator: its key stands under its address. */
export function wasSignedElsewhere({ client, key, signer }: RequestRow): boolean {
  return client === operatorName && key === signer
}

function givesDays({ operation }: RequestRow): boolean {
  return operation === "approveAgent" || operation === "renewAgent"
}

/** Of an agent whose wallet isn't known here nobody knows better than who signed. */
function mayChange({ signer }: RequestRow, agent: KeyEntry, set: ActiveSet): boolean {
  const { approval, wallet } = agent
  if (approval === "revoked" || approval === "removed") return false
  return wallet === null || walletAddressOf(agent, set) === signer
}

/** A recorded canonical body, which the strict reader accepted once already. */
export function recordedBody(text: string): JsonObject {
  const parsed = parseStrictJson(utf8(text))
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
}

/**
 * The gate's way to send what was signed when a missed heartbeat panicked. No token: these calls give out
 * cancels that are meant for the venue, and take the gate's word on those alone.
 */
export function outboxMethods(vault: SettleContext & { readonly outbox: Outbox }) {
  return {
    outbox: async (): Promise<BotResults["outbox"]> => ({ requests: await vault.outbox.take() }),
    outboxReport: (params: BotParams["outboxReport"]) => outboxReport(params, vault),
  }
}

async function outboxReport(
  { record: id, outcome }: BotParams["outboxReport"],
  vault: Parameters<typeof outboxMethods>[0],
): Promise<BotResults["outboxReport"]> {
  const record = await vault.ledger.record(id)
  if (record?.row.client !== panicName) {
    const message = "This record is of no request that the gate was given to send."
    return refuse({ code: "unknown_record", message, data: null }, null)
  }
  vault.outbox.heard(id, outcome)
  await settleRecord(asRequest(record), outcome, vault)
  return { kind: "answer" }
}
