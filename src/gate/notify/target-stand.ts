import * as z from "zod"

import type { Log } from "../process/log.ts"
import type { Refusal } from "./deliver.ts"

/** How the way to one target stands, as `countersign notify test` and `doctor` read it. */
export const targetStand = z.strictObject({
  name: z.string(),
  /** When it last took a message, in milliseconds; `null` for never since the gate's start. */
  takenAt: z.int().nullable(),
  /** Why the last try failed; `null` if it didn't. */
  failing: z.string().nullable(),
  /** The last test that was tried. */
  test: z.int(),
})
export type TargetStand = Readonly<z.infer<typeof targetStand>>

/** Where no try was made yet. */
export function untried(name: string): TargetStand {
  return { name, takenAt: null, failing: null, test: 0 }
}

/** How it stands after a try; the log says what changed. */
export function standAfter(
  refusal: Refusal | undefined,
  before: TargetStand,
  log: Log,
): TargetStand {
  const { name: target, failing } = before
  if (refusal === undefined) {
    if (failing !== null) log({ level: "info", event: "notify_works", target })
    return { ...before, takenAt: Date.now(), failing: null }
  }
  const { why } = refusal
  if (failing !== why) log({ level: "error", event: "notify_failed", target, message: why })
  return { ...before, failing: why }
}
