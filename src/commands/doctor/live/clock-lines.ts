import type { StatusView } from "../../../link/views/views.ts"
import { toldReason } from "../../../link/views/signing.ts"
import { holds, lacks, notKnown, type LiveLine } from "./live-line.ts"

/** Whether a time server sets the clock, and neither the vault nor the venue's answers doubt it. */
export function clockLines(
  { state, alarms }: Pick<StatusView, "state" | "alarms">,
  isSynchronised: boolean | undefined,
): readonly LiveLine[] {
  const setClock = "timedatectl set-ntp true"
  const doubts = [
    ...state.reasons
      .filter(({ code }) => code === "clock_unsafe")
      .map((reason) => lacks("clock", toldReason(reason), reason.fix)),
    ...alarms
      .filter(({ name }) => name === "clock_off" || name === "clock_stops_orders")
      .map(({ fact }) => lacks("clock", `${fact}.`, setClock)),
  ]
  if (doubts.length > 0) return doubts
  if (isSynchronised === true) {
    const message = "A time server sets it, and no answer of the venue says otherwise."
    return [holds("clock", message)]
  }
  if (isSynchronised === false) return [lacks("clock", "No time server sets it.", setClock)]
  const message = "nothing here can tell whether a time server sets it."
  return [
    notKnown("clock", message, `${setClock}, then timedatectl show --property=NTPSynchronized`),
  ]
}
