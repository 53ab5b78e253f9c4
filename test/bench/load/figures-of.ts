import type { Figures } from "../case.ts"
import type { Load } from "./load.ts"

/** A load's figures under the names that tables and bars use. */
export function figuresOf({ perSecond, p50Ms, p99Ms, p999Ms }: Load): Figures {
  return { "/s": perSecond, "p50 ms": p50Ms, "p99 ms": p99Ms, "p99.9 ms": p999Ms }
}
