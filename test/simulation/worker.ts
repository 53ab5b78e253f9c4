import { parentPort, workerData } from "node:worker_threads"

import { planOf } from "./plan.ts"
import { runPlan } from "./run-plan.ts"
import { failureText } from "./shrink.ts"

/** Every `step`th seed from `first`, below `histories`. */
export type Seeds = { readonly first: number; readonly step: number; readonly histories: number }

/** Runs them, and tells what the first one that fails has to say, or nothing. */
parentPort!.postMessage(await firstFailure(workerData as Seeds))

async function firstFailure({ first, step, histories }: Seeds): Promise<string | undefined> {
  for (let seed = first; seed < histories; seed += step) {
    const { broken } = await runPlan(planOf(seed))
    if (broken !== undefined) return failureText(seed, broken)
  }
  return undefined
}
