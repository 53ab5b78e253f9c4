import { parentPort, workerData } from "node:worker_threads"

import { planOf } from "./plan.ts"
import { runPlan } from "./run-plan.ts"
import { failureText } from "./shrink.ts"

/** Runs so many seeds, from 0, and tells what the first one that fails has to say, or nothing. */
parentPort!.postMessage(await firstFailure(workerData as number))

async function firstFailure(histories: number): Promise<string | undefined> {
  for (let seed = 0; seed < histories; seed += 1) {
    const { broken } = await runPlan(planOf(seed))
    if (broken !== undefined) return failureText(seed, broken)
  }
  return undefined
}
