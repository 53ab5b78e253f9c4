import { setTimeout as after } from "node:timers/promises"

import type { TargetStand } from "../../gate/notify/teller.ts"
import { Fault } from "../../std/fault.ts"
import type { Admin } from "../installation/admin.ts"
import { standsIn } from "./stands-in.ts"

/** The gate asks every 5 s, a message has 5 s, and the gate tells of it when it next asks. */
const patienceMs = 30_000
const pauseMs = 250

/** Has the running gate send each target a message, by the way that alarms take. @throws {Fault} `webhook_failed` when it doesn't tell in time. */
export async function tryTargets(
  admin: Pick<Admin, "call">,
  names: readonly string[],
): Promise<readonly TargetStand[]> {
  const { test } = await admin.call("notify", { test: true })
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const { said } = await admin.call("notify", { test: false })
    const tried = standsIn(said).filter((each) => each.test === test)
    if (names.every((name) => tried.some((each) => each.name === name))) return tried
    if (performance.now() > untilMs) throw new Fault("webhook_failed", silent)
    await after(pauseMs)
  }
}

const silent =
  "The gate hasn't told within 30 s what became of them. If countersign.yaml has changed, run countersign policy reload; else look at countersign status and the gate's log."
