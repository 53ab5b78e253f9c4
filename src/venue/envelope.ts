import type { JsonObject } from "./json.ts"

/** The one shape of every answer of the venue; the daemon's own answers use it too. */
export type Envelope = {
  readonly code: string
  readonly msg: string
  readonly data: JsonObject
  readonly trace_code: string
}

export const successCode = "0"
