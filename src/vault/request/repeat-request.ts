import { hash } from "node:crypto"

import type { BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { Repeat } from "../../contract/signed.ts"
import { toHex } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { budgetExhausted } from "../budgets/budget.ts"
import type { KeyLocks } from "../keyring/keyring.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { maxRows } from "../ledger/row-counts.ts"
import { isUnsent, keptAnswer, putOffBy, stateOf } from "../ledger/found-records.ts"
import type { FoundKey } from "../ledger/store/store.ts"
import type { Asked, SignContext } from "./asking.ts"
import { answered, digestOf, signReserved } from "./fill-in.ts"
import { judgeRequest } from "./judge-request.ts"
import { clientOrderIdOf, type ParsedRequest } from "./parse-request.ts"
import { keyLocked } from "./refuse.ts"

/**
 * Answers a repeat: with the venue's answer if it is known and its last, else with the very body that was signed
 * before. Nothing is reserved, and no limit counts it; the venue's rate budgets do once in their window, for it may
 * be sent again.
 * Lock and policy are judged anew, for what they deny by now isn't released again; an answer that is known
 * releases nothing, so it is told in any case.
 */
export function repeatRequest(
  earlier: FoundKey,
  ask: Asked,
  { keyring, ledger }: Pick<SignContext, "keyring" | "ledger">,
): Result<BotResults["sign"], Refusal> {
  const { request, call, set, turn } = ask
  const { row } = earlier
  const record = row.id
  const answer = keptAnswer(earlier)
  if (call.purpose === "forward" && answer !== undefined && isBoundTo(ask, earlier)) {
    return ok({ kind: "answered", record, answer })
  }
  const refusal = refuseRepeat(earlier, ask, keyring)
  if (refusal !== undefined) return err(refusal)
  const spent = spend(ask, record, ledger)
  if (spent !== undefined) return err(spent)
  const validity = { record, nonce: row.nonce, expiresAfterMs: row.expires_after }
  const signed = signReserved(request, validity, { keyring, profile: set.profile })
  return ok({ kind: "answer", ...answered(signed, turn.nowMs, turn), repeat: repeatOf(earlier) })
}

/** Why a repeat isn't signed, its budgets apart. */
export function refuseRepeat(
  earlier: FoundKey,
  ask: Repeating,
  keyring: KeyLocks,
): Refusal | undefined {
  if (!isBoundTo(ask, earlier)) return conflict(earlier)
  const refusal = refuseOver(earlier, ask) ?? refuseJudged(earlier, ask)
  if (refusal !== undefined) return refusal
  const { name } = ask.request.key
  return keyring.isLocked(name) ? keyLocked(name) : undefined
}

type Repeating = Omit<Asked, "key" | "spending">

/** Counts it in the budgets, unless one has no room or a repeat of it counts there; and among its client's repeats. */
function spend(
  { client: { name }, spending, turn: { nowMs } }: Asked,
  record: string,
  { budgets, rows }: Pick<Ledger, "budgets" | "rows">,
): Refusal | undefined {
  if (!rows.take({ client: name, kind: "repeat", bytes: 0 }, nowMs)) return tooManyRepeats()
  const short = spending && budgets.countRepeat(record, spending)
  return short === undefined ? undefined : budgetExhausted(short, nowMs)
}

/** What is heard of each send is a row. */
function tooManyRepeats(): Refusal {
  return {
    code: "overloaded",
    message: `This client has repeated ${maxRows.repeat} requests within a second; repeat this one a second later.`,
    data: null,
  }
}

function repeatOf(earlier: FoundKey): Repeat {
  return isUnsent(earlier) ? "unsent" : "perhaps_sent"
}

/** Whether it is over: answered, and the answer isn't kept; or expired. */
function refuseOver(earlier: FoundKey, ask: Repeating): Refusal | undefined {
  const { id: record, expires_after } = earlier.row
  const state = stateOf(earlier, ask.turn.nowMs)
  const isForwarded = ask.call.purpose === "forward"
  if (isForwarded && state === "accepted") return alreadyAccepted(earlier, ask)
  const isRefused = isForwarded && state === "refused"
  if (!isRefused && ask.turn.nowMs <= expires_after) return undefined
  const message = isRefused
    ? "The venue refused this key's request, and its answer isn't kept here; look at the venue."
    : expiredMessage(earlier)
  const venue = putOffBy(earlier)
  return {
    code: "idempotency_expired",
    message,
    data: { record, state, ...(venue !== undefined && { venue }) },
  }
}

function expiredMessage(earlier: FoundKey): string {
  if (putOffBy(earlier) !== undefined) {
    return "The venue refused this key's request for its pace and processed nothing of it, and meanwhile it has expired; ask for it under a new key."
  }
  return isUnsent(earlier)
    ? "Nothing of this key's request was sent, and meanwhile it has expired; ask for it under a new key."
    : "This key's request has expired and is never signed anew; look at the venue what became of it, and ask for another one under another key."
}

/** What a bot finds its request by at the venue. The binding holds all that the hash is made from. */
function alreadyAccepted(
  { row: { id: record, nonce, expires_after } }: FoundKey,
  { request, set: { profile } }: Repeating,
): Refusal {
  const hash = digestOf(request, { validity: { nonce, expiresAfterMs: expires_after }, profile })
  return {
    code: "already_accepted",
    message:
      "The venue accepted this key's request, and its answer isn't kept here; look there by what data tells.",
    data: {
      record,
      nonce,
      expires_after,
      signing_hash: toHex(hash),
      client_order_id: clientOrderIdOf(request) ?? null,
    },
  }
}

/** A release that the earlier request used up holds for its repeats, and so does the check. */
function refuseJudged(earlier: FoundKey, ask: Repeating): Refusal | undefined {
  const { call, turn } = ask
  const checked = call.check === undefined ? call : { ...call, checkAgeMs: 0 }
  const by = { set: ask.set, nowMs: turn.nowMs, call: checked }
  const decision = judgeRequest(ask.request, ask.client, by)
  if (decision.kind === "refuse") return decision.refusal
  if (decision.kind === "allow" || earlier.row.release !== undefined) return undefined
  const { policy, name, file, line } = decision.hold
  return {
    code: "approval_required",
    message: `By now a person must release this request (${policy}/${name}, ${file}:${line}); send it under another key to ask for that.`,
    data: { hold: null, expires_at: null },
  }
}

function isBoundTo(ask: Repeating, { row }: FoundKey): boolean {
  return row.idempotency?.binding === bindingHash(ask.request, ask)
}

function conflict({ row }: FoundKey): Refusal {
  return {
    code: "idempotency_conflict",
    message:
      "This idempotency key stands for another request of this client; send a new request under a new key.",
    data: { record: row.id },
  }
}

/**
 * All that a key stands for, as a hash: who asks for what, and what the signature is made from. The digest
 * for nonce and expiry 0 holds the latter: type, tag or struct, layout, domain.
 */
export function bindingHash(
  request: ParsedRequest,
  { client, call, set }: Pick<Asked, "client" | "call" | "set">,
): string {
  const { profile } = set
  const { sort, escape, nulls } = profile.canonicalForm
  const digest = digestOf(request, { validity: { nonce: 0, expiresAfterMs: 0 }, profile })
  const bound = [
    ...[client.name, "POST", call.purpose, request.endpoint.path],
    ...[request.key.name, request.parties.signer, request.parties.target ?? null],
    ...[request.canonical, sort, escape, nulls, toHex(digest)],
  ]
  return hash("sha256", JSON.stringify(bound))
}
