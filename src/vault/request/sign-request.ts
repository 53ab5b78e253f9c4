import { isDeepStrictEqual } from "node:util"

import type { BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { viewOf } from "../active/active-set.ts"
import type { RequestEntry } from "../ledger/records/entries.ts"
import type { KeyUse } from "../ledger/found-records.ts"
import type { FoundKey } from "../ledger/store/store.ts"
import type { Taken } from "../ledger/records/reservation.ts"
import type { Idempotency } from "../ledger/records/row.ts"
import type { Allowed } from "../policy/terms.ts"
import { requestStages } from "../process/stages.ts"
import type { Asked, Asking, SignContext } from "./asking.ts"
import { authenticate } from "./authorize.ts"
import { guardRequest } from "./guard-request.ts"
import { withCheck } from "./earlier-check.ts"
import { answered, signReserved, type SignedBytes } from "./fill-in.ts"
import {
  bindingOf,
  holdRequest,
  isGuarded,
  releaseFor,
  judgeRequest,
  refuseIsolated,
  refuseNow,
  namedOrders,
} from "./judge-request.ts"
import {
  parseRequest,
  type SignCall,
  clientOrderIdOf,
  keyOf,
  keyToLookUp,
} from "./parse-request.ts"
import { recordRefusal, refuse } from "./refuse.ts"
import { bindingHash, repeatRequest } from "./repeat-request.ts"
import { spendingOf, withRateLimits } from "./spending.ts"

/**
 * Authenticates, parses, validates, picks the key, judges by policy, reserves nonce, limits and
 * release, records, signs, checks, answers — in that order.
 *
 * From authenticating to reserving is one turn of the ledger, so no other request slips in between. It is signed
 * while the record is on its way to the disk, and the ledger gives the signature out once the record is
 * durable: a crash can leave a record without a signature, never a signature that left without its record.
 * A throw anywhere means that none leaves.
 */
export async function signRequest(call: SignCall, vault: SignContext): Promise<BotResults["sign"]> {
  const key = keyToLookUp(call, vault.active())
  const keys = key === undefined ? [] : [key]
  const decided = await vault.ledger.decide(keys, (turn) => {
    const set = vault.active()
    const { nowMs } = turn
    const client = authenticate(call.token, set, { count: vault.badTokens, nowMs })
    if (!client.ok) return atOnce(refuse(client.error, null))
    const asking = { client: client.value, call, turn, key, isAlone: true } as const
    return signInTurn({ ...asking, set: viewOf(client.value.keys[0], set) }, vault)
  })
  return answerOf(decided, vault)
}

/** What was decided of a request: an answer without a new signature, or what goes out once it is durable. */
export type Decided =
  | { readonly kind: "at_once"; readonly answer: BotResults["sign"] }
  | {
      readonly kind: "signed"
      readonly asked: Asked
      readonly signed: SignedBytes
      /** When policy had allowed it, by the monotonic clock. */
      readonly judgedMs: number
    }

/**
 * The part of {@link signRequest} from parsing on, for a client that is known: one turn, in which nothing
 * waits (test/house/one-turn.test.ts). What it gives back is run once the turn is over.
 */
export function signInTurn(asking: Asking, vault: SignContext): () => Decided {
  const { call, client, set } = asking
  if (client.forward_only && call.purpose === "return") return refused(forwardOnly, asking, vault)
  vault.metrics.stages.begin()
  const read = parseRequest(call, client, set)
  vault.metrics.stages.end("parse")
  requestStages.publish({ stage: "parsed" })
  if (!read.ok) return refused(read.error, asking, vault)
  const spending = spendingOf(read.value, client.name, set)
  const asked = { ...asking, request: read.value, spending }
  const made = judgeAndTake(asked, vault)
  return made.ok ? made.value : refused(made.error, asked, vault)
}

/** The answer to a request, once all that it took is durable. */
export function answerOf(decided: Decided, vault: SignContext): BotResults["sign"] {
  if (decided.kind === "at_once") return decided.answer
  const { asked, signed, judgedMs } = decided
  vault.metrics.stages.endSince("record", judgedMs)
  requestStages.publish({ stage: "durable" })
  const answer = { kind: "answer", ...answered(signed, vault.now(), asked.turn) } as const
  return withRateLimits(answer, asked, vault.ledger.budgets)
}

function judgeAndTake(asked: Asked, vault: SignContext): Result<() => Decided, Refusal> {
  const { client, set, request, turn } = asked
  const used = useOfKey(asked, vault)
  if (!used.ok) return used
  const use = used.value
  if (use.kind === "kept") return repeat(use.request, asked, vault)

  const { nowMs } = turn
  const checked = withCheck(asked.call, bindingOf(request, client), { use, nowMs })
  if (!checked.ok) return checked
  const decision = judgeRequest(request, client, { set, nowMs, call: checked.value })
  const judgedMs = vault.metrics.stages.end("judge")
  requestStages.publish({ stage: "judged" })
  if (decision.kind === "refuse") return err(decision.refusal)
  const refusal = refuseNow(request, set, vault)
  if (refusal !== undefined) return err(refusal)
  const entry = entryOf(asked, use, decision.rule)
  const { ledger } = vault
  const given = releaseFor(decision, entry, { request, set, ledger, nowMs })
  if (given.kind === "missing") {
    const orders = namedOrders(request, set)
    return err(holdRequest(given.held, entry, { turn, orders }))
  }

  const reserved = turn.reserve({
    guarded: guardedNow(asked, decision, vault),
    signer: request.parties.signer,
    entry,
    claims: decision.claims,
    sizes: decision.sizes,
    release: given.use,
    spending: asked.spending,
    ttlMs: request.ttlMs,
    lane: request.lane,
    nowMs,
  })
  if (reserved.kind === "refused") return err(reserved.refusal)
  return ok(() => ({ kind: "signed", asked, signed: sign(asked, reserved, vault), judgedMs }))
}

function guardedNow(asked: Asked, { sizes }: Allowed, { accounts }: SignContext) {
  const { request, set, turn } = asked
  if (!isGuarded(accounts, set)) return undefined
  return guardRequest(request, { ...asked, sizes, nowMs: turn.nowMs }, accounts)
}

function atOnce(answer: BotResults["sign"]): () => Decided {
  return () => ({ kind: "at_once", answer })
}

function refused(refusal: Refusal, asking: Asking | Asked, vault: SignContext): () => Decided {
  const { nowMs } = asking.turn
  const answer = recordRefusal(refusal, { ...asking, nowMs, ledger: vault.ledger })
  return atOnce(withRateLimits(answer, asking, vault.ledger.budgets))
}

function repeat(
  earlier: FoundKey,
  asked: Asked,
  vault: SignContext,
): Result<() => Decided, Refusal> {
  const answer = repeatRequest(earlier, asked, vault)
  return answer.ok ? ok(atOnce(withRateLimits(answer.value, asked, vault.ledger.budgets))) : answer
}

/**
 * What the request's idempotency key was used for. It is made anew in the turn: where other files came into force
 * since the turn was asked for, it may be another one, which wasn't looked up.
 */
function useOfKey(
  { call, client, request, key, turn }: Asked,
  vault: SignContext,
): Result<KeyUse, Refusal> {
  const away = refuseIsolated(request, vault)
  if (away !== undefined) return err(away)
  const own = keyOf(call, client, request)
  if (own === undefined) return ok({ kind: "unused" })
  return isDeepStrictEqual(own, key) ? ok(turn.keyUse(own)) : err(keyChanged)
}

/** A signature is good for whoever has it, a cancel's too. */
const forwardOnly: Refusal = {
  code: "forward_only",
  message: "This client gets no signed body; have the venue sent the same by POST /v1/….",
  data: null,
}

const keyChanged: Refusal = {
  code: "overloaded",
  message: "The files in force changed while this request waited for its turn; send it again.",
  data: null,
}

function sign({ request, set, key }: Asked, taken: Taken, vault: SignContext): SignedBytes {
  const { keyring, metrics } = vault
  metrics.stages.begin()
  const signed = signReserved(request, taken, { keyring, profile: set.profile })
  metrics.stages.end("sign")
  return key === undefined ? signed : { ...signed, repeat: "first" }
}

function entryOf(asked: Asked, use: KeyUse, rule: string): RequestEntry {
  const { request, client, set, call } = asked
  const orderId = clientOrderIdOf(request)
  const idempotency = idempotencyOf(asked, use)
  return {
    ...bindingOf(request, client),
    path: request.endpoint.path,
    policy_hash: set.policyHash,
    rule,
    purpose: call.purpose,
    ...(orderId !== undefined && { client_order_id: orderId }),
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    ...(idempotency !== undefined && { idempotency }),
  }
}

function idempotencyOf({ key, ...asked }: Asked, use: KeyUse): Idempotency | undefined {
  if (key === undefined) return undefined
  const { by, key: name } = key
  const replaces = use.kind === "ended" ? { replaces: use.record } : {}
  return { by, key: name, binding: bindingHash(asked.request, asked), ...replaces }
}
