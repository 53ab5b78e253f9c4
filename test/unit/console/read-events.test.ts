import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { ConsoleState } from "../../../src/link/console-views.ts"
import {
  envelope,
  giveFetch,
  giveStorage,
  replaceGlobal,
  type Fetched,
} from "../../support/console-page.ts"
import { feedOf } from "../../support/decision-view.ts"
import { consoleState } from "../../support/fake-vault.ts"
import { until } from "../../support/process-tree.ts"

const { readEvents } = await import("../../../src/console/read-events.ts")

const longestSilenceMs = 40_000

const latency = { bounds: [0.1], counts: [0, 0] }
const stateText = eventText("state", { vault: consoleState, latency })
const endedText = eventText("ended", { why: "It is over." })

function eventText(event: string, content: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(content)}\n\n`
}

/** A stream of these pieces, which stays open where it isn't said to end. */
function streamOf(pieces: readonly (string | Uint8Array)[], then: "ends" | "stays" = "ends") {
  return ({ signal }: Fetched): Response => {
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) {
          controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece)
        }
        if (then === "ends") controller.close()
        else signal?.addEventListener("abort", () => controller.error(signal.reason))
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  }
}

type Timer = { readonly ms: number; readonly ring: () => void }

/** Clocks that ring when the test says so. */
function giveTimers(t: TestContext): ReadonlySet<Timer> {
  const timers = new Set<Timer>()
  replaceGlobal(t, "setTimeout", (ring: () => void, ms: number): Timer => {
    const timer: Timer = {
      ms,
      ring() {
        timers.delete(timer)
        ring()
      },
    }
    timers.add(timer)
    return timer
  })
  replaceGlobal(t, "clearTimeout", (timer: Timer) => timers.delete(timer))
  return timers
}

type Reading = {
  /** What the page was told, each with what was said. */
  readonly heard: readonly (readonly [name: string, said: unknown])[]
  readonly fetched: readonly Fetched[]
  readonly ended: Promise<void>
  /** Waits for one of these lengths, and returns it. */
  readonly timer: (isLong: (ms: number) => boolean) => Promise<Timer>
  /** Waits until it pauses before it asks again, and returns for how long. */
  readonly pause: () => Promise<Timer>
  readonly timers: ReadonlySet<Timer>
}

/** Reads streams that a gate answers with one after the other, the last of them over and over. */
function read(t: TestContext, answers: readonly ((asked: Fetched) => Response | Error)[]): Reading {
  giveStorage(t)
  const timers = giveTimers(t)
  const fetched: readonly Fetched[] = giveFetch(t, (asked) => {
    const answer = answers[Math.min(fetched.length, answers.length) - 1]
    return answer?.(asked) ?? new Error("There is no answer.")
  })
  const heard: [string, unknown][] = []
  const hear = (name: string) => (said: unknown) => void heard.push([name, said])
  const ended = readEvents({
    state: ({ vault }: { readonly vault: ConsoleState }) => hear("state")(vault),
    decisions: hear("decisions"),
    away: hear("away"),
    lost: hear("lost"),
    ended: hear("ended"),
  })
  const timer = (isLong: (ms: number) => boolean) =>
    until(() => [...timers].find(({ ms }) => isLong(ms)), "a clock is set")
  return { heard, fetched, ended, timer, timers, pause: () => timer((ms) => ms < longestSilenceMs) }
}

const failure = () => new TypeError("fetch failed")

const names = ({ heard }: Reading) => heard.map(([name]) => name)

describe("the console's events", () => {
  it("are told as they come, and nothing once the session is over", async (t) => {
    const feed = feedOf(2, ["allowed", "refused"])
    const pieces = [
      stateText + eventText("decisions", feed),
      ":\n\n",
      eventText("away", { why: "The vault is away." }),
      endedText + stateText,
    ]
    const reading = read(t, [streamOf(pieces, "stays")])
    await reading.ended
    assert.deepEqual(reading.heard, [
      ["state", consoleState],
      ["decisions", feed],
      ["away", "The vault is away."],
      ["ended", "It is over."],
    ])
    assert.equal(reading.fetched.length, 1)
    assert.equal(reading.timers.size, 0)
    assert.equal(reading.fetched[0]?.signal?.aborted, true)
  })

  it("are whole, wherever the network cut them", async (t) => {
    const said = { ...consoleState, words: "Es läuft: ✓ 😀" }
    const bytes = new TextEncoder().encode(eventText("state", { vault: said, latency }) + endedText)
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte))
    const reading = read(t, [streamOf(pieces)])
    await reading.ended
    assert.deepEqual(reading.heard, [
      ["state", said],
      ["ended", "It is over."],
    ])
  })

  it("are left out where a stream breaks in the middle of one, and the next begins afresh", async (t) => {
    const broken = streamOf([stateText, eventText("away", { why: "?" }).slice(0, -1)])
    const reading = read(t, [broken, streamOf([stateText, endedText])])
    ;(await reading.pause()).ring()
    await reading.ended
    assert.deepEqual(names(reading), ["state", "lost", "state", "ended"])
  })

  it("are asked for anew where one can't be read", async (t) => {
    const reading = read(t, [
      streamOf(["event: state\ndata: {\n\n"], "stays"),
      streamOf([endedText]),
    ])
    ;(await reading.pause()).ring()
    await reading.ended
    assert.deepEqual(names(reading), ["lost", "ended"])
    assert.equal(reading.fetched[0]?.signal?.aborted, true)
  })

  it("are asked for with the session's proof in a header", async (t) => {
    const reading = read(t, [failure, streamOf([endedText])])
    sessionStorage.setItem("countersign-proof", "p".repeat(43))
    ;(await reading.pause()).ring()
    await reading.ended
    const [first, second] = reading.fetched
    assert.equal(first?.path, "/console/events")
    assert.deepEqual(first.headers, {})
    assert.deepEqual(second?.headers, { "Countersign-Console": "p".repeat(43) })
  })

  it("are over where the session is, with the daemon's sentence and without another try", async (t) => {
    for (const status of [401, 403]) {
      const reading = read(t, [() => envelope(status, "Run countersign console.")])
      await reading.ended
      assert.deepEqual(reading.heard, [["ended", "Run countersign console."]])
      assert.equal(reading.fetched.length, 1)
      assert.equal(reading.timers.size, 0)
    }
  })

  it("are asked for again where the gate is busy or can't reach the vault", async (t) => {
    const statuses = [429, 503, 500]
    const answers = statuses.map((status) => () => envelope(status, "Not now."))
    const reading = read(t, [...answers, streamOf([endedText])])
    for (const status of statuses) {
      const { ring } = await reading.pause()
      assert.deepEqual(reading.heard.at(-1), ["lost", "Not now."], String(status))
      ring()
    }
    await reading.ended
    assert.deepEqual(names(reading), ["lost", "lost", "lost", "ended"])
  })

  it("are asked for after pauses that grow up to a bound, until a state comes", async (t) => {
    const failures = Array.from({ length: 6 }, () => failure)
    const reading = read(t, [...failures, streamOf([stateText]), failure, streamOf([endedText])])
    const pausesMs: number[] = []
    for (let pauses = 0; pauses < 8; pauses += 1) {
      const { ms, ring } = await reading.pause()
      pausesMs.push(ms)
      ring()
    }
    await reading.ended
    const expected = [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 1_000, 2_000]
    assert.deepEqual(pausesMs, expected)
  })

  it("are asked for anew where a stream falls silent, and what is heard puts that off", async (t) => {
    const reading = read(t, [streamOf([":\n\n"], "stays"), streamOf([endedText])])
    const isSilence = (ms: number) => ms === longestSilenceMs
    const opening = await reading.timer(isSilence)
    await until(() => (reading.timers.has(opening) ? undefined : true), "the comment is heard")
    ;(await reading.timer(isSilence)).ring()
    ;(await reading.pause()).ring()
    await reading.ended
    assert.deepEqual(names(reading), ["lost", "ended"])
    assert.equal(reading.timers.size, 0)
  })
})
