import * as z from "zod"

import { targetStand, type TargetStand } from "../../gate/notify/teller.ts"
import { parseJson } from "../../std/parse-json.ts"

/** What the gate says of its targets; nothing where that can't be read, as before it first asked. */
export function standsIn(said: string): readonly TargetStand[] {
  const read = z.array(targetStand).safeParse(parseJson(said))
  return read.success ? read.data : []
}
