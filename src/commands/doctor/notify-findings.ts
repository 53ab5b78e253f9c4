import { setTimeout as after } from "node:timers/promises"

import * as z from "zod"

import { targetStand, type TargetStand } from "../../gate/notify/teller.ts"
import { Fault } from "../../std/fault.ts"
import { parseJson } from "../../std/parse-json.ts"
import { utcText } from "../../std/time/time-words.ts"
import type { Config } from "../../vault/config/config.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { dialAdmin, type Admin } from "../installation/admin.ts"
import { fixHere } from "../installation/usual-installation.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"

/** Whether alarms get through to each target of `notify`, by the word of the gate that runs. @throws {Fault} */
export async function lookAtTargets(
  { notify }: Pick<Config, "notify">,
  installation: Installation,
): Promise<readonly Finding[]> {
  const link = notify.length === 0 ? undefined : await dialAdmin(installation)
  if (link === undefined) return []
  const { said } = await link.call("notify", { test: false }).finally(() => link.close())
  return notifyFindings(notify, standsIn(said), fixHere("countersign notify test", installation))
}

/** A finding for each target; `test` is the command that tries them. */
function notifyFindings(
  targets: Config["notify"],
  stands: readonly TargetStand[],
  test: string,
): readonly Finding[] {
  return targets.map(({ name }) => {
    const stand = stands.find((each) => each.name === name)
    if (stand === undefined) return warn("notify", `The gate hasn't told of ${name} yet.`, test)
    const { takenAt, failing } = stand
    if (failing !== null) return fail("notify", `${name} takes no messages. ${failing}`, test)
    return takenAt === null
      ? warn("notify", `Nothing was sent to ${name} since the gate's start.`, test)
      : ok("notify", `${name} took a message at ${utcText(takenAt)}.`)
  })
}

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

/** What the gate says of its targets; nothing where that can't be read, as before it first asked. */
export function standsIn(said: string): readonly TargetStand[] {
  const read = z.array(targetStand).safeParse(parseJson(said))
  return read.success ? read.data : []
}
