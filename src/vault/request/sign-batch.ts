import * as z from "zod"

import type { Refusal, Refused } from "../../contract/refusal.ts"
import { type BotParams, type BotResults, botParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { ok, type Result, err } from "../../std/result.ts"
import { pointerTo, type JsonValue, maxJsonDepth } from "../../venue/json.ts"
import { maxFieldErrors } from "../../venue/payload/parse-payload.ts"
import type { LedgerTurn } from "../ledger/ledger.ts"
import type { Asking, SignContext } from "./asking.ts"
import { viewOf } from "../active/active-set.ts"
import { authenticate, identify } from "./authorize.ts"
import { type SignCall, keyToLookUp, parseBody } from "./parse-request.ts"
import { recordRefusal, refuse, invalidRequest } from "./refuse.ts"
import { type Decided, answerOf, signInTurn } from "./sign-request.ts"

/**
 * Signs what may be signed of a batch, each of its requests as if it had come alone to `/sign`: judged and
 * reserved in their order in one turn of the ledger, so that no other request slips in between and they share one
 * commit. What is wrong with the batch itself, and a throw anywhere, means that nothing signed leaves.
 */
export async function signBatch(
  { token, body }: BotParams["signBatch"],
  vault: SignContext,
): Promise<BotResults["signBatch"]> {
  const known = identify(token, vault)
  if (!known.ok) return refuse(known.error, null)
  const read = parseBatch(Buffer.from(body, "base64"))
  const calls = (read.ok ? read.value : []).map((request, index): Call => {
    const call = parseBatchRequest(request, { index, token })
    return call.ok ? ok({ call: call.value, key: keyToLookUp(call.value, vault.active()) }) : call
  })
  const keys = calls.flatMap((call) => (call.ok ? (call.value.key ?? []) : []))
  const decided = await vault.ledger.decide(keys, (turn) =>
    signInTheirOrder({ token, turn, calls, unread: read.ok ? undefined : read.error }, vault),
  )
  if (decided.kind === "refused") return decided
  const maxErrors = Math.max(1, Math.floor(maxFieldErrors / calls.length))
  return {
    kind: "answer",
    results: decided.each.map((each) => resultOf(answerOf(each, vault), maxErrors)),
  }
}

type Call = Result<Pick<Asking, "call" | "key">, Refusal>

/** The part of a batch that is one turn: nothing waits in it. */
function signInTheirOrder(
  {
    token,
    turn,
    calls,
    unread,
  }: {
    readonly token: string
    readonly turn: LedgerTurn
    readonly calls: readonly Call[]
    /** What is wrong with the batch itself. */
    readonly unread: Refusal | undefined
  },
  vault: SignContext,
): () => Refused | { readonly kind: "each"; readonly each: readonly Decided[] } {
  const set = vault.active()
  const { nowMs } = turn
  const client = authenticate(token, set, { count: vault.badTokens, nowMs })
  if (!client.ok) return () => refuse(client.error, null)
  const at = { client: client.value, set: viewOf(client.value.keys[0], set), turn }
  const refuseUnread = (refusal: Refusal) =>
    recordRefusal(refusal, { ...at, nowMs, call: { path: "" }, ledger: vault.ledger })
  if (unread !== undefined) {
    const answer = refuseUnread(unread)
    return () => answer
  }
  const made = calls.map((call): (() => Decided) => {
    if (call.ok) return signInTurn({ ...at, ...call.value }, vault)
    const answer = refuseUnread(call.error)
    return () => ({ kind: "at_once", answer })
  })
  return () => ({ kind: "each", each: made.map((make) => make()) })
}

/** All the answers share one frame of the socket: together they tell as many errors as one alone. */
function resultOf(answer: BotResults["sign"], maxErrors: number) {
  if (answer.kind === "answered") {
    throw new Fault("internal", "A request that is returned can't be answered by the venue.")
  }
  return answer.kind === "refused"
    ? { ...answer, refusal: shortened(answer.refusal, maxErrors) }
    : answer
}

function shortened(refusal: Refusal, maxErrors: number): Refusal {
  if (refusal.code === "invalid_request") {
    return invalidRequest(refusal.data.errors.slice(0, maxErrors))
  }
  if (refusal.code !== "policy_denied") return refusal
  const { message, data } = refusal
  const asked = data.asked && clipped(data.asked)
  const allowed = data.allowed && clipped(data.allowed)
  return { ...refusal, message: clipped(message), data: { ...data, asked, allowed } }
}

/** Of a sentence that quotes a policy's list: a hundred of them fit a frame beside what is signed. */
const maxTextChars = 500

function clipped(text: string): string {
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars)}…`
}

/** The most requests of one batch. */
export const maxBatchRequests = 100

/** The batch, its list and a request stand above a body, which may be as deep as one that comes alone. */
const maxBatchDepth = maxJsonDepth + 3

const anyJson = z.custom<JsonValue>((value) => value !== undefined)
/** The body of `POST /sign/batch`. */
export const batchBody = z.strictObject({ requests: z.array(anyJson).min(1).max(maxBatchRequests) })

/** Parses the bytes of a batch, once: its bodies are never text again. What a request holds is its own matter. */
function parseBatch(bytes: Uint8Array): Result<readonly JsonValue[], Refusal> {
  const json = parseBody(bytes, maxBatchDepth)
  if (!json.ok) return json
  const read = batchBody.safeParse(json.value)
  if (read.success) return ok(read.data.requests)
  const message = `the body must be {"requests": […]}, 1 to ${maxBatchRequests} of them`
  return err(invalidRequest([{ path: "", rule: "batch", message }]))
}

const { path, key, idempotencyKey, check } = botParams.sign.shape
/** A request of a batch. */
export const batchRequest = z
  .strictObject({
    path,
    body: anyJson,
    key,
    expires_in: z.int().optional(),
    idempotency_key: idempotencyKey,
    check,
  })
  .refine((sent) => sent.check === undefined || sent.idempotency_key === undefined)

/** Parses the request at `index` of a batch as the call that it stands for. */
function parseBatchRequest(
  value: JsonValue,
  { index, token }: { readonly index: number; readonly token: string },
): Result<SignCall, Refusal> {
  const read = batchRequest.safeParse(value)
  if (!read.success) return err(invalidBatchRequest(index, read.error))
  const { body, expires_in: expiresIn, idempotency_key: known, ...named } = read.data
  return ok({
    ...named,
    token,
    body: { parsed: body },
    expiresIn: expiresIn === undefined ? undefined : String(expiresIn),
    idempotencyKey: known,
    purpose: "return",
  })
}

function invalidBatchRequest(index: number, { issues: [issue] }: z.ZodError): Refusal {
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : []
  const steps = ["requests", index, ...(issue?.path ?? []), ...unknown]
  return invalidRequest([
    {
      path: steps.reduce<string>((pointer, step) => pointerTo(pointer, String(step)), ""),
      rule: "batch_request",
      message:
        'a request must be {"path", "body"}; it may have key (at most 64 characters), expires_in (whole milliseconds) and either idempotency_key (1 to 64 visible characters of ASCII, without spaces) or check (at most 64 characters)',
    },
  ])
}
