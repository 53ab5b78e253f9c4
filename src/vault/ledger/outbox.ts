import type { Outcome } from "../../link/calls/both-ways.ts"
import type { OutboxRequest } from "../../contract/stop-views.ts"
import type { Clock } from "../process/clock.ts"
import { log } from "../process/log.ts"

/** Requests that nobody asked for over HTTP, for the gate to send. In memory: what a crash loses is never sent. */
export type Outbox = ReturnType<typeof openOutbox>

type Monotonic = Pick<Clock, "monotonicMs">

/** How long a call waits for requests. */
const outboxWaitMs = 25_000
/** After so long without a word, or after one that nothing was sent, a request is given out again. */
export const outboxAgainMs = 2_000

/** Times are the monotonic clock's. */
type Waiting = {
  readonly request: OutboxRequest
  readonly untilMs: number
  givenMs: number | undefined
}

/** Starts empty. */
export function openOutbox(clock: Monotonic) {
  const waiting = new Map<string, Waiting>()
  const sleepers = new Set<() => void>()
  let isEnded = false
  const wake = (): void => {
    for (const wakeOne of sleepers) wakeOne()
  }
  return {
    put(requests: readonly OutboxRequest[]): void {
      for (const request of requests) {
        const untilMs = clock.monotonicMs() + request.good_for_ms
        waiting.set(request.record, { request, untilMs, givenMs: undefined })
      }
      wake()
    },
    /** Those that wait; when there are none, those of the next {@link outboxWaitMs}, or none. */
    async take(): Promise<readonly OutboxRequest[]> {
      const untilMs = clock.monotonicMs() + outboxWaitMs
      for (;;) {
        dropExpired(waiting, clock)
        const due = giveOut(waiting, clock)
        const leftMs = untilMs - clock.monotonicMs()
        if (due.length > 0 || leftMs <= 0 || isEnded) return due
        await sleep(Math.min(leftMs, nextDueMs(waiting, clock)), sleepers)
      }
    },
    /** What became of one. It stays as long as no byte of it was sent. */
    heard(record: string, { kind }: Outcome): void {
      const known = waiting.get(record)
      if (kind === "unsent" && known !== undefined) known.givenMs = clock.monotonicMs()
      else waiting.delete(record)
    },
    /** Answers all who wait, now and later, with what there is. */
    end(): void {
      isEnded = true
      wake()
    },
  }
}

function giveOut(waiting: Map<string, Waiting>, clock: Monotonic): readonly OutboxRequest[] {
  const nowMs = clock.monotonicMs()
  const due = [...waiting.values()].filter((each) => dueInMs(each, nowMs) <= 0)
  for (const each of due) each.givenMs = nowMs
  return due.map(({ request, untilMs }) => ({ ...request, good_for_ms: untilMs - nowMs }))
}

function dueInMs({ givenMs }: Waiting, nowMs: number): number {
  return givenMs === undefined ? 0 : givenMs + outboxAgainMs - nowMs
}

function nextDueMs(waiting: Map<string, Waiting>, clock: Monotonic): number {
  const nowMs = clock.monotonicMs()
  return Math.min(outboxWaitMs, ...[...waiting.values()].map((each) => dueInMs(each, nowMs)))
}

function dropExpired(waiting: Map<string, Waiting>, clock: Monotonic): void {
  for (const [record, { untilMs }] of waiting) {
    if (clock.monotonicMs() < untilMs) continue
    waiting.delete(record)
    const message = `The request ${record} expired before the gate said that it was sent; run countersign panic.`
    log({ level: "error", event: "panic_unsent", message })
  }
}

function sleep(ms: number, sleepers: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const awake = (): void => {
      clearTimeout(timer)
      sleepers.delete(awake)
      resolve()
    }
    const timer = setTimeout(awake, Math.max(1, ms))
    sleepers.add(awake)
  })
}
