import { isDeepStrictEqual } from "node:util"

import type { BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../link/views/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { Spending } from "../budgets/spending.ts"
import type { Vault } from "../core/vault.ts"
import type { RequestEntry } from "../ledger/records/entries.ts"
import type { Idempotency, KeyUse } from "../ledger/records/idempotency.ts"
import type { Reservation, ReserveAsk, Taken } from "../ledger/records/reservation.ts"
import { requestStages } from "../process/stages.ts"
import type { Asking } from "./asking.ts"
import { authenticate } from "./authenticate.ts"
import { answered, signReserved, type SignedBytes } from "./fill-in.ts"
import { bindingOf, holdRequest, releaseFor, judgeRequest, refuseNow } from "./judge-request.ts"
import {
  readRequest,
  type ReadRequest,
  type SignCall,
  clientOrderIdOf,
  keyOf,
  keyToLookUp,
} from "./read-request.ts"
import { recordRefusal, refuse } from "./refuse.ts"
import { repeatRequest, bindingHash } from "./repeat-request.ts"
import { withRateLimits, spendingOf } from "./spending.ts"

/**
 * Authenticates, parses, validates, picks the key, judges by policy, reserves nonce, limits and
 * release, records, signs, checks, answers — in that order.
 *
 * What waits comes first: the look-up of an idempotency key, if there is one. Judging and reserving are one turn
 * ({@link decide}), so no other request slips in between. It is signed while the record is being committed, and
 * `reserve` gives the signature out once the record is durable: a crash can leave a record without a
 * signature, never a signature that left without its record. A throw anywhere means that none leaves.
 */
export async function signRequest(call: SignCall, vault: Vault): Promise<BotResults["sign"]> {
  const { ledger } = vault
  const key = keyToLookUp(call, vault)
  const use = key === undefined ? unused : await ledger.keyUse(key, vault.now())
  const nowMs = vault.now()
  const set = vault.active()

  const client = authenticate(call.token, set, { count: vault.badTokens, nowMs })
  if (!client.ok) return refuse(client.error, null)
  return signOf({ client: client.value, call, set, nowMs, key, use, isAlone: true }, vault)
}

/** What an idempotency key was used for where there is none. */
export const unused: KeyUse = { kind: "unused" }

/**
 * The part of {@link signRequest} from parsing on, for a client that is known. What is reserved is reserved
 * within this call itself, before it gives way for the first time.
 */
export async function signOf(asking: Asking, vault: Vault): Promise<BotResults["sign"]> {
  const { call, client, set } = asking
  vault.metrics.stages.begin()
  const read = readRequest(call, client, set)
  vault.metrics.stages.end("parse")
  requestStages.publish({ stage: "parsed" })
  if (!read.ok) return refused(read.error, asking, vault)
  const spending = spendingOf(read.value, client.name, set)
  const asked = { ...asking, request: read.value, spending }
  const answer = await judgeAndSign(asked, vault)
  if (!answer.ok) return refused(answer.error, asked, vault)
  if (answer.value === "outdated") return signRequest(call, vault)
  return withRateLimits(answer.value, asked, vault)
}

type Asked = Asking & { readonly request: ReadRequest; readonly spending: Spending }

/** `outdated`: since the look-up of its key another request took it, or other files are in force. */
type Answer = Result<BotResults["sign"] | "outdated", Refusal>

async function judgeAndSign(asked: Asked, vault: Vault): Promise<Answer> {
  const decided = decide(asked, vault)
  if (decided.kind === "answer") return decided.answer
  if (decided.kind === "hold") return err(await decided.refusal)
  const reserved = await decided.reserving
  if (reserved.kind === "refused") return err(reserved.refusal)
  if (reserved.kind === "repeat") return ok("outdated")
  vault.metrics.stages.endSince("record", decided.judgedMs)
  requestStages.publish({ stage: "durable" })
  return ok({ kind: "answer", ...answered(reserved.made, vault.now()) })
}

/** What was decided in one turn. What is still to come became certain in it, and is on its way to the disk. */
type Decided =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "hold"; readonly refusal: Promise<Refusal> }
  | {
      readonly kind: "reserve"
      readonly reserving: Promise<Reservation<SignedBytes>>
      readonly judgedMs: number
    }

/**
 * Judges a request and takes all that it needs, in one turn. It isn't `async` and its answer is no promise, so an
 * `await` in it doesn't compile (test/house/one-turn.test.ts).
 */
function decide(asked: Asked, vault: Vault): Decided {
  const { client, call, set, nowMs, request, key, use } = asked
  const { ledger, metrics } = vault
  if (!isDeepStrictEqual(keyOf(call, client, request), key)) return atOnce(ok("outdated"))
  if (use.kind === "kept") return atOnce(repeatRequest(use.request, asked, vault))

  const decision = judgeRequest(request, client, { set, nowMs })
  const judgedMs = metrics.stages.end("judge")
  requestStages.publish({ stage: "judged" })
  if (decision.kind === "refuse") return atOnce(err(decision.refusal))
  const refusal = refuseNow(request, set, vault)
  if (refusal !== undefined) return atOnce(err(refusal))
  const entry = entryOf(asked, decision.rule)
  const at = { ledger, nowMs }
  const release = releaseFor(decision, entry, at)
  if (release.kind === "missing") {
    return { kind: "hold", refusal: holdRequest(release.held, entry, at) }
  }

  const ask: ReserveAsk = {
    signer: request.parties.signer,
    entry,
    claims: decision.claims,
    sizes: decision.sizes,
    release: release.use,
    spending: asked.spending,
    ttlMs: request.ttlMs,
    lane: request.lane,
    nowMs,
  }
  const reserving = ledger.reserve(ask, (taken) => signFirst(asked, taken, vault))
  return { kind: "reserve", reserving, judgedMs }
}

function atOnce(answer: Answer): Decided {
  return { kind: "answer", answer }
}

function refused(refusal: Refusal, asking: Asking | Asked, vault: Vault): BotResults["sign"] {
  const answer = recordRefusal(refusal, { ...asking, ledger: vault.ledger })
  return withRateLimits(answer, asking, vault)
}

function signFirst({ request, set, key }: Asked, taken: Taken, vault: Vault): SignedBytes {
  const { keyring, metrics } = vault
  metrics.stages.begin()
  const signed = signReserved(request, taken, { keyring, profile: set.profile })
  metrics.stages.end("sign")
  return key === undefined ? signed : { ...signed, repeat: "first" }
}

function entryOf(asked: Asked, rule: string): RequestEntry {
  const { request, client, set, call } = asked
  return {
    ...bindingOf(request, client, set),
    path: request.endpoint.path,
    policyHash: set.policyHash,
    rule,
    purpose: call.purpose,
    clientOrderId: clientOrderIdOf(request),
    traceparent: call.traceparent,
    idempotency: idempotencyOf(asked),
  }
}

function idempotencyOf({ key, use, ...asked }: Asked): Idempotency | undefined {
  if (key === undefined) return undefined
  const replaces = use.kind === "ended" ? use.record : undefined
  return { by: key.by, key: key.key, binding: bindingHash(asked.request, asked), replaces }
}
