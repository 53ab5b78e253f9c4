import * as z from "zod"

import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import type { BotLink } from "../../link/client.ts"
import { retryAfterSeconds, statuses } from "../http/error-response.ts"
import { refusedByVault, type Problem } from "../http/problem.ts"
import { problemEnvelope, type Reply } from "../http/reply.ts"
import type { GateLimits } from "../process/gate-limits.ts"
import { openPlaces, type OwnerOf } from "../http/shares.ts"
import { heldTooLong, isInTime } from "./sign.ts"

/** Makes `/sign/batch`, with a bound of its own: each keeps the vault as busy as all of its requests would alone. */
export function batchSigner({
  limits: { maxBatches },
  ownerOf,
}: {
  readonly limits: Pick<GateLimits, "maxBatches">
  readonly ownerOf: OwnerOf
}) {
  const places = openPlaces(maxBatches)
  return async (
    { link }: { readonly link: BotLink },
    { token, body }: Pick<BotParams["check"], "token" | "body">,
  ): Promise<Reply> => {
    const leave = places.take(ownerOf(token))
    if (leave === undefined) return { kind: "problem", problem: overloaded }
    try {
      return replyOf(await link.call("signBatch", { token, body }))
    } finally {
      leave()
    }
  }
}

function replyOf(signed: BotResults["signBatch"]): Reply {
  if (signed.kind === "answer") {
    return { kind: "success", content: { results: signed.results.map(resultOf) } }
  }
  return { kind: "problem", problem: refusedByVault(signed.refusal, signed.record) }
}

type Answered = Extract<BotResults["signBatch"], { readonly kind: "answer" }>["results"][number]

function resultOf(answer: Answered): BatchResult {
  if (answer.kind === "refused") {
    return refusedResult(refusedByVault(answer.refusal, answer.record), answer)
  }
  if (!isInTime(answer)) return refusedResult(heldTooLong(answer), answer)
  const { record, body, expiresAfter, repeat = "first" } = answer
  return {
    status: 200,
    record,
    repeat: repeat !== "first",
    expires_after: expiresAfter,
    retry_after: null,
    body,
    error: null,
  }
}

function refusedResult(problem: Problem, { record }: Answered): BatchResult {
  return {
    status: statuses[problem.code],
    record,
    repeat: false,
    expires_after: null,
    retry_after: retryAfterSeconds(problem.code, problem.data) ?? null,
    body: null,
    error: problemEnvelope(problem),
  }
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many batches are at work; try again in a moment.",
}

/** The envelope of a refusal; docs/openapi.json has one for each code. */
export const refusedEnvelope = z
  .strictObject({
    code: z.string(),
    msg: z.string(),
    data: z.custom<object>(),
    trace_code: z.string(),
  })
  .readonly()

/** What `/sign` would answer to one request of a batch, its headers as members. Each is always there. */
export const batchResultSchema = z
  .strictObject({
    status: z.int().describe("What the HTTP status would be: 200 where it was signed."),
    record: z.string().nullable().describe("`Countersign-Record`."),
    repeat: z.boolean().describe("`Countersign-Repeat`."),
    expires_after: z.int().nullable().describe("Of the signature, in milliseconds."),
    retry_after: z.int().nullable().describe("`Retry-After`, in seconds."),
    body: z
      .string()
      .nullable()
      .describe(
        "The signed body as text, since not a byte of it may change on its way to the venue.",
      ),
    error: refusedEnvelope.nullable(),
  })
  .readonly()
export type BatchResult = z.infer<typeof batchResultSchema>
