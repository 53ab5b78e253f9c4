import type { TargetStand } from "../../gate/notify/teller.ts"
import type { Config } from "../../vault/config/config.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { dialAdmin } from "../installation/dial-admin.ts"
import { standsIn } from "../notify/stands-in.ts"
import { fixHere } from "./file-findings.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"
import { utcText } from "../../std/time/time-words.ts"

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
export function notifyFindings(
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
