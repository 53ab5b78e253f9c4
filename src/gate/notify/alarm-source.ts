import type { BotLink } from "../../link/client.ts"
import { alarm, type AlarmsNow } from "../../link/views/alarms.ts"

/** A vault that is started again is away for one question. */
const missesUntilTold = 2

/**
 * Asks the vault for its alarms. While it gives no answer those of its last one go on, and once it has
 * given none twice that is an alarm too; before its first answer there are none. Never throws.
 */
export function alarmSource(link: Pick<BotLink, "call">): () => Promise<AlarmsNow | undefined> {
  let last: AlarmsNow | undefined
  let misses = 0
  return async () => {
    try {
      last = await link.call("alarms", {})
      misses = 0
      return last
    } catch {
      misses += 1
      if (last === undefined) return undefined
      return misses < missesUntilTold ? last : { ...last, alarms: [unreachable, ...last.alarms] }
    }
  }
}

const unreachable = alarm("vault_unreachable", {
  subject: "",
  fact: "The gate gets no answer from the vault, and while it is away nothing is signed, cancels neither",
  advice: "countersign status and countersign doctor say why",
})
