import type { Unanswered } from "../../conditions/gate-alarms.ts"
import type { Upstream } from "./upstream.ts"

const usualPauseMs = 5_000

/** Tries the way to the venue for as long as there is none, so that it is known to be over though nobody asks for anything. */
export function watchVenue(
  upstream: () => Pick<Upstream, "failing" | "connect"> | undefined,
  pauseMs = usualPauseMs,
) {
  const timer = setInterval(() => {
    const venue = upstream()
    if (venue?.failing()?.isUnconnected === true) void venue.connect()
  }, pauseMs)
  timer.unref()
  return {
    unanswered: (): Unanswered | undefined => upstream()?.failing(),
    stop: () => clearInterval(timer),
  }
}
