import * as z from "zod"

/** How far a release goes for further requests like the held one, itself among them. */
export const grantTerms = z.strictObject({
  forMs: z.int().min(1_000).max(86_400_000),
  times: z.int().min(1).max(1_000),
  /** The sum of their quantities. */
  upTo: z.string().max(64),
})
export type GrantTerms = z.infer<typeof grantTerms>
