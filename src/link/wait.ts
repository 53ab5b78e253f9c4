// Waiting for room in the venue's rate budgets: what a call says of it, and how it is given up.

import { z } from "zod"

import { token } from "./report.ts"

/** The longest that a call may wait. */
export const maxWaitMs = 30_000

/** Names a waiting call among those of its token; made at random by who calls. */
const waitId = z.string().regex(/^[A-Za-z0-9-]{16,64}$/)

/** `Countersign-Wait`: how long a call may wait for room. */
export const waitSchema = z.strictObject({ id: waitId, ms: z.int().min(1).max(maxWaitMs) })

export const waitBotParams = {
  /** Nobody waits any more for the answer of a call that was made with this token and id. */
  abandonWait: z.strictObject({ token, id: waitId }),
}

export type WaitBotResults = { abandonWait: { readonly abandoned: boolean } }
