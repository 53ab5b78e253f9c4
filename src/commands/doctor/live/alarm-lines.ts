import type { TargetStand } from "../../../gate/notify/teller.ts"
import type { NotifyTarget } from "../../../link/views/notify-target.ts"
import { holds, lacks, type LiveLine } from "./live-line.ts"

/** Whether alarms go somewhere, and get there: the gate sends each target a message now, by the way that alarms take. */
export async function alarmLines(
  targets: readonly Pick<NotifyTarget, "name">[],
  trial: (names: readonly string[]) => Promise<readonly TargetStand[]>,
): Promise<readonly LiveLine[]> {
  if (targets.length === 0) {
    const fix =
      "add a target to notify in countersign.yaml, as docs/operations/alarms.md shows, then run: countersign policy reload"
    return [lacks("alarms", "countersign.yaml names no target, so nobody is told.", fix)]
  }
  const stands = await trial(targets.map(({ name }) => name))
  return stands.map(({ name, failing }) =>
    failing === null
      ? holds("alarms", `${name} took a message that the gate sent just now.`)
      : lacks("alarms", `${name} took no message: ${failing}`, "countersign notify test"),
  )
}
