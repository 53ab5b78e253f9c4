// The bot socket's calls about reads of the venue.

import { z } from "zod"

import type { Refused } from "../views/refusal.ts"
import { token } from "./report.ts"

export const readBotParams = {
  /** Takes what a read weighs, if the client may make it. `path`: the venue's, without its query; `key`: `Countersign-Key`. */
  read: z.strictObject({
    token,
    path: z.string().max(256),
    key: z.string().max(64).optional(),
  }),
  /** The venue refused a read of this client for the IP budget. */
  readBudgetSpent: z.strictObject({ token }),
}

export type ReadBotResults = {
  /** `weight`: what was taken of the IP budget; 0 where it is off. */
  read: Refused | { readonly kind: "answer"; readonly weight: number }
  readBudgetSpent: Refused | { readonly kind: "answer" }
}
