import type { BotLink } from "../link/client.ts"
import type { BotParams, BotResults } from "../link/methods.ts"
import type { BatchResult } from "./batch-result.ts"
import { retryAfterSeconds, statuses } from "./error-response.ts"
import { refusedByVault, type Problem } from "./problem.ts"
import { problemEnvelope, type Reply } from "./reply.ts"

/**
 * Makes `/sign/batch`, with at most `maxBatches` of them at work: each keeps the vault as busy as all of its
 * requests would alone.
 */
export function batchSigner(maxBatches: number) {
  let atWork = 0
  return async (
    { link }: { readonly link: BotLink },
    { token, body }: Pick<BotParams["check"], "token" | "body">,
  ): Promise<Reply> => {
    if (atWork >= maxBatches) return { kind: "problem", problem: overloaded }
    atWork += 1
    try {
      return replyOf(await link.call("signBatch", { token, body }))
    } finally {
      atWork -= 1
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
  if (answer.kind === "refused") return refusedResult(answer)
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

function refusedResult({ refusal, record }: Extract<Answered, { kind: "refused" }>): BatchResult {
  const problem = refusedByVault(refusal, record)
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
