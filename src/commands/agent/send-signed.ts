import * as z from "zod"

import { openUpstream } from "../../gate/upstream/upstream.ts"
import { outcomeOfSent } from "../../gate/sign/forward.ts"
import type { Sent } from "../../gate/upstream/exchange.ts"
import type { UpstreamSettings } from "../../link/gate-settings.ts"
import type { AdminParams } from "../../link/calls/methods.ts"
import type { Outcome } from "../../link/calls/both-ways.ts"
import type { SignedOperation } from "../../contract/signed.ts"
import type { KeyView } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import { parseJson } from "../../std/parse-json.ts"
import { utcText } from "../../std/time/time-words.ts"
import { quoted, visible } from "../../std/visible.ts"
import type { Admin } from "../installation/admin.ts"

/** An account operation that the venue accepted. */
export type AcceptedOperation = {
  readonly record: string
  /** The key that it was about, as it is since. */
  readonly key: KeyView
}

/**
 * Sends what the vault signed to the venue, once, from this process, and has the vault record what became
 * of it. `what` names it in sentences, as in "the approval of mm".
 *
 * @throws {Fault} `venue_refused`, `venue_unreachable`, `outcome_unknown`, each saying what is known.
 */
export async function sendSigned(
  operation: SignedOperation,
  admin: Admin,
  what: string,
): Promise<AcceptedOperation> {
  const { sent, outcome, key } = await sendAndSettle(operation, admin, what)
  if (outcome.kind === "accepted" && key !== null) return { record: operation.record, key }
  throw failureOf(sent, outcome, { operation, what })
}

/**
 * Sends once and has the outcome recorded, whatever it is: resolves with what was seen, what was recorded, and the key
 * that it was about. @throws {Fault} when it couldn't be recorded.
 */
export async function sendAndSettle(operation: SignedOperation, admin: Admin, what: string) {
  const { record } = operation
  const untilMs = performance.now() + operation.good_for_ms
  const told: Promise<unknown>[] = []
  const settle = (outcome: Outcome) => admin.call("settleOperation", { record, outcome })
  const upstream = await admin.call("upstream", {})
  const sent = await send({ operation, untilMs }, upstream, () => {
    // Not awaited: the first byte is about to leave. A failure is the last one's failure too.
    told.push(settle({ kind: "sent" }).catch(() => undefined))
  })
  await Promise.all(told)
  const outcome = outcomeOfSent(sent)
  const { key } = await settle(outcome).catch((error: unknown) => {
    throw unrecorded(error, outcome, { record, what })
  })
  return { sent, outcome, key }
}

async function send(
  { operation, untilMs }: { readonly operation: SignedOperation; readonly untilMs: number },
  settings: UpstreamSettings | null,
  onSend: () => void,
): Promise<Sent> {
  const { path, body } = operation
  if (settings === null) return { kind: "unsent", cause: "no base_url" }
  const upstream = openUpstream(settings)
  const maySend = (): boolean => {
    if (performance.now() >= untilMs) return false
    onSend()
    return true
  }
  try {
    return await upstream.send({ path, body, traceparent: undefined, maySend })
  } finally {
    await upstream.close()
  }
}

type About = { readonly operation: SignedOperation; readonly what: string }

/** Why an operation isn't known to be accepted, as a fault that says what is known. */
export function failureOf(sent: Sent, outcome: Outcome, { operation, what }: About): Fault {
  const { record, base_url: baseUrl, expires_after: expiresAfterMs } = operation
  if (outcome.kind === "unsent") {
    const where = baseUrl ?? "no base_url in venue.yaml"
    const until = Date.now() < expiresAfterMs ? "" : " before it expired"
    return new Fault(
      "venue_unreachable",
      `The venue (${where}) couldn't be reached${until}, so ${what} wasn't sent (record ${record}). Fix the connection, then run this again.`,
    )
  }
  if (outcome.kind === "refused") {
    return new Fault(
      "venue_refused",
      `The venue refused ${what} (record ${record}): ${refusalText(sent, outcome)}`,
    )
  }
  return new Fault(
    "outcome_unknown",
    `It isn't known whether the venue accepted ${what}: it was sent, and ${answerText(sent)}. The record ${record} is ${outcome.kind}. Look at the venue after ${utcText(expiresAfterMs)}: from then on it can't be accepted. If it wasn't until then, run this again.`,
  )
}

function answerText(sent: Sent): string {
  const came = sent.kind === "answered" ? sent.answer : sent
  const status = "status" in came ? came.status : null
  return status === null
    ? "no answer came"
    : `the answer (HTTP ${status}) doesn't say what became of it`
}

const envelope = z.object({ msg: z.string() })

/** More of the venue's words than anybody needs. */
const maxMessageChars = 200

function refusalText(sent: Sent, { status, code }: { status: number; code: string }): string {
  const read =
    sent.kind === "answered"
      ? envelope.safeParse(parseJson(sent.answer.body.toString("utf8")))
      : undefined
  const message = read?.success === true ? read.data.msg.slice(0, maxMessageChars) : ""
  return visible(`HTTP ${status}, code ${code}${message === "" ? "." : `: ${quoted(message)}`}`)
}

function unrecorded(
  cause: unknown,
  { kind }: Outcome,
  { record, what }: { readonly record: string; readonly what: string },
): Fault {
  const why = cause instanceof Fault ? cause : new Fault("internal", "This is a bug.", { cause })
  return new Fault(
    why.code,
    `The outcome of ${what} is ${kind}, and that couldn't be recorded under ${record}: ${why.message}`,
    { cause },
  )
}

/** Has an agent's wallet key, which is held here, sign its approval, and sends it. @throws {Fault} */
export async function approveHere(
  admin: Admin,
  ask: AdminParams["approveAgent"],
): Promise<AcceptedOperation> {
  const answer = await admin.call("approveAgent", ask)
  if (answer.kind === "signed") return sendSigned(answer, admin, `the approval of ${ask.agent}`)
  throw new Fault("internal", "The vault described an approval that it was to sign.")
}
