import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../link/views/refusal.ts"
import { Fault } from "../../std/fault.ts"
import { ok, type Result } from "../../std/result.ts"
import { maxFieldErrors } from "../../venue/payload/parse-payload.ts"
import type { Vault } from "../core/vault.ts"
import type { Asking } from "./asking.ts"
import { authenticate, identify } from "./authenticate.ts"
import { readBatch, readBatchRequest } from "./read-batch.ts"
import { type SignCall, keyToLookUp } from "./read-request.ts"
import { recordRefusal, refuse } from "./refuse.ts"
import { signOf, unused } from "./sign-request.ts"
import { invalidRequest } from "./split-body.ts"

/**
 * Signs what may be signed of a batch, each of its requests as if it had come alone to `/sign`. No freeze that
 * comes meanwhile is answered before the batch is: its first signature may wait for its last.
 */
export function signBatch(
  params: BotParams["signBatch"],
  vault: Vault,
): Promise<BotResults["signBatch"]> {
  return vault.ledger.follow(signEach(params, vault))
}

/**
 * What waits comes first here too: the look-ups of idempotency keys, all at once. Then the requests are judged
 * and reserved in their order, and no other request slips in between: they share one commit. What is
 * wrong with the batch itself, and a throw anywhere, means that nothing signed leaves.
 */
async function signEach(
  { token, body }: BotParams["signBatch"],
  vault: Vault,
): Promise<BotResults["signBatch"]> {
  const { ledger } = vault
  const known = identify(token, vault)
  if (!known.ok) return refuse(known.error, null)
  const read = readBatch(Buffer.from(body, "base64"))
  const requests = read.ok ? read.value : []
  const asked = await Promise.all(
    requests.map((request, index) => lookUp(readBatchRequest(request, { index, token }), vault)),
  )
  const nowMs = vault.now()
  const set = vault.active()

  const client = authenticate(token, set, { count: vault.badTokens, nowMs })
  if (!client.ok) return refuse(client.error, null)
  const at = { client: client.value, set, nowMs }
  const refuseUnread = (refusal: Refusal) =>
    recordRefusal(refusal, { ...at, call: { path: "" }, ledger })
  if (!read.ok) return refuseUnread(read.error)
  const answers = await Promise.all(
    asked.map(async (each) =>
      each.ok ? await signOf({ ...at, ...each.value }, vault) : refuseUnread(each.error),
    ),
  )
  const maxErrors = Math.max(1, Math.floor(maxFieldErrors / answers.length))
  return { kind: "answer", results: answers.map((answer) => resultOf(answer, maxErrors)) }
}

type LookedUp = Pick<Asking, "call" | "key" | "use">

/** A call with what its idempotency key was used for. */
async function lookUp(
  call: Result<SignCall, Refusal>,
  vault: Vault,
): Promise<Result<LookedUp, Refusal>> {
  if (!call.ok) return call
  const { ledger } = vault
  const key = keyToLookUp(call.value, vault)
  const use = key === undefined ? unused : await ledger.keyUse(key, vault.now())
  return ok({ call: call.value, key, use })
}

type BatchResult = Extract<BotResults["signBatch"], { readonly kind: "answer" }>["results"][number]

/** All the answers share one frame of the socket: together they tell as many errors as one alone. */
function resultOf(answer: BotResults["sign"], maxErrors: number): BatchResult {
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
