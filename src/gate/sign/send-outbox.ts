import { setTimeout as after } from "node:timers/promises"

import type { BotResults } from "../../link/calls/methods.ts"
import type { BotLink } from "../../contract/client.ts"
import type { Outcome } from "../../link/calls/both-ways.ts"
import type { GateMetrics } from "../http/metrics.ts"
import { errorFields, type Log } from "../process/log.ts"
import type { Upstream } from "../upstream/upstream.ts"
import { outcomeOfSent } from "./forward.ts"

type OutboxDependencies = {
  /** Of its own, whose deadline is longer than the vault lets a call wait. */
  readonly link: BotLink
  /** The venue of now, if one is configured. Without one nothing is asked for. */
  readonly upstream: () => Upstream | undefined
  readonly log: Log
  readonly metrics: Pick<GateMetrics, "sent">
  /** Milliseconds that only run on. */
  readonly clock: () => number
}

/** Longer than the vault lets a call of `outbox` wait. */
export const outboxDeadlineMs = 35_000

/** Before asking a vault again that gave no answer, or at once gave none to send. */
const pauseMs = 100

type Request = BotResults["outbox"]["requests"][number]

/**
 * Sends what the vault signed without being asked over HTTP: the cancels of a panic. It asks again and
 * again as long as it runs, also of a vault that was restarted.
 */
export function sendOutbox(deps: OutboxDependencies) {
  const sendOnce = onceEach(deps)
  const work = new Set<Promise<unknown>>()
  let isStopping = false
  const take = async (): Promise<readonly Request[]> => {
    if (deps.upstream() === undefined) return []
    try {
      return (await deps.link.call("outbox", {})).requests
    } catch {
      return [] // the vault is away, and so is what it would have signed
    }
  }
  const ask = async (): Promise<void> => {
    while (!isStopping) {
      const requests = await take()
      for (const request of requests) {
        const sending = sendOnce(request).finally(() => work.delete(sending))
        work.add(sending)
      }
      if (requests.length === 0) await after(pauseMs, undefined, { ref: false })
    }
  }
  void ask()
  return {
    stop: async () => {
      isStopping = true
      await Promise.all(work)
      deps.link.close()
    },
  }
}

/** A request is sent once, however often it is given out: what is known of it is said again instead. */
function onceEach(deps: OutboxDependencies): (request: Request) => Promise<void> {
  const atWork = new Set<string>()
  const sent = new Map<string, { readonly outcome: Outcome; readonly untilMs: number }>()
  return async (request) => {
    const { record, good_for_ms: goodForMs } = request
    const untilMs = deps.clock() + goodForMs
    for (const [old, each] of sent) if (each.untilMs < deps.clock()) sent.delete(old)
    if (atWork.has(record)) return
    atWork.add(record)
    try {
      const known = sent.get(record)
      const outcome = known?.outcome ?? (await send(deps, request, untilMs))
      // Of what wasn't sent no byte left, so the vault may give it out again.
      if (outcome.kind !== "unsent") sent.set(record, { outcome, untilMs })
      await report(deps, record, outcome)
    } finally {
      atWork.delete(record)
    }
  }
}

async function send(
  deps: OutboxDependencies,
  { record, path, body }: Request,
  untilMs: number,
): Promise<Outcome> {
  const sent = await deps.upstream()?.send({
    path,
    body,
    traceparent: undefined,
    maySend: () => {
      if (deps.clock() >= untilMs) return false
      void report(deps, record, { kind: "sent" })
      return true
    },
  })
  const outcome: Outcome = sent === undefined ? { kind: "unsent" } : outcomeOfSent(sent)
  deps.metrics.sent(outcome, record)
  const level = outcome.kind === "accepted" ? "info" : "error"
  deps.log({ level, event: "panic_request", record, code: outcome.kind })
  return outcome
}

async function report(
  { link, log }: OutboxDependencies,
  record: string,
  outcome: Outcome,
): Promise<void> {
  try {
    const answer = await link.call("outboxReport", { record, outcome })
    if (answer.kind === "answer") return
    log({ level: "error", event: "report_refused", record, code: answer.refusal.code })
  } catch (error) {
    log({ level: "error", event: "report_lost", record, ...errorFields(error) })
  }
}
