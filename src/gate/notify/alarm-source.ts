import type { BotParams } from "../../link/calls/methods.ts"
import type { BotLink } from "../../link/client.ts"
import { alarm, type AlarmsNow, type KeptAlarm } from "../../link/views/alarms.ts"

/** A vault that is started again is away for one question. */
const missesUntilTold = 2

/**
 * Asks the vault for its alarms. While it gives no answer those of its last one go on, and once it has
 * given none twice that is an alarm too; before its first answer there are none. Never throws.
 */
export function alarmSource(
  link: Pick<BotLink, "call">,
): (told: BotParams["alarms"]) => Promise<AlarmsNow | undefined> {
  let last: AlarmsNow | undefined
  let misses = 0
  return async (told) => {
    try {
      last = await link.call("alarms", told)
      misses = 0
      return last
    } catch {
      misses += 1
      if (last === undefined || misses < missesUntilTold) return last
      return { ...last, kept: [unreachable(), ...last.kept] }
    }
  }
}

function unreachable(): KeptAlarm {
  const fact =
    "The gate gets no answer from the vault, and while it is away nothing is signed, cancels neither"
  const advice = "countersign status and countersign doctor say why"
  const away = alarm("vault_unreachable", { subject: "", fact, advice })
  return { ...away, stands: true, at: Date.now() }
}
