// A simulated daemon. One seed makes a history: what bots, the gate and an operator ask, in which order all that they set going
// runs, how the clock leaps, what the disk does, and when the power goes. Everything from a call as the socket reads it to its
// answer is the daemon's own; clocks, timers, the ledger's store, the signers' marks, the curve and the files are ports of the
// simulation, in one thread, so a seed gives the same history each time.
//
//   plan.ts        a seed's events; each has all that it takes, so that any of them can be left out
//   happen.ts      what an event does to the machine (machine.ts, store/) or has somebody ask (gate.ts, operator.ts)
//   checker/       stands outside: it holds what leaves, and what is durable, against what the daemon promises
//   loop.ts        turns of the event loop, which end without a real one
//   end-well.ts    the end: all that waits is answered, cancels are signed, and a restart changes nothing
//   worker.ts      runs seeds one after the other in a thread of its own
//   shrink.ts      the shortest history that still breaks a promise
//   slips.ts       flaws that it must find; `npm run test:mutation -- simulat` tries them
//
// A seed that fails prints itself, and what to add to cases.ts.

import assert from "node:assert/strict"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { describe, it } from "node:test"
import { Worker } from "node:worker_threads"

import { numRuns } from "../support/runs.ts"
import { cases } from "./cases.ts"
import { planOf } from "./plan.ts"
import { runPlan } from "./run-plan.ts"
import { failureText } from "./shrink.ts"
import type { Seeds } from "./worker.ts"

/** A run of the usual tests, and as many more as a long one takes for each of its factor. */
const { numRuns: factor } = numRuns(1)
const histories = factor === 1 ? 5_000 : 50_000 * factor
/** The usual tests run beside others; a long run has the machine. */
const step = factor === 1 ? 1 : availableParallelism()

/** `SEED=7 node test/simulation/simulation.test.ts` runs that history alone, and tells it. */
const only = process.env["SEED"]

describe("a simulated daemon", () => {
  it("goes the same way twice by the same seed", async () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const [one, other] = [await runPlan(planOf(seed)), await runPlan(planOf(seed))]
      assert.equal(one.trace.text(), other.trace.text())
    }
  })

  for (const { what, ...plan } of cases) {
    it(what, async () => {
      const { broken, trace } = await runPlan(plan)
      assert.equal(broken, undefined, trace.text())
    })
  }

  if (only !== undefined) {
    it("keeps its promises in the history of SEED", async (t) => {
      const seed = Number(only)
      const { broken, trace } = await runPlan(planOf(seed))
      t.diagnostic(trace.text())
      if (broken !== undefined) assert.fail(await failureText(seed, broken))
    })
    return
  }

  it(`keeps its promises in ${histories} histories`, async (t) => {
    const startedMs = performance.now()
    const workers = Array.from({ length: step }, (_, first) => workerOf({ first, step, histories }))
    try {
      await Promise.all(workers.map(succeeds))
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()))
    }
    const seconds = (performance.now() - startedMs) / 1_000
    t.diagnostic(`${Math.round(histories / seconds)} histories a second`)
  })
})

/** A thread that the runner of tests doesn't watch: what it notes of each promise takes half as long as the histories. */
function workerOf(seeds: Seeds): Worker {
  return new Worker(new URL("worker.ts", import.meta.url), { workerData: seeds })
}

async function succeeds(worker: Worker): Promise<void> {
  const [failure] = (await once(worker, "message")) as [string | undefined]
  if (failure !== undefined) assert.fail(failure)
}
