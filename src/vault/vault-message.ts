import { z } from "zod"

/** What the vault tells its parent over IPC, once. */
export const vaultMessages = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), warnings: z.array(z.string()).readonly() }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])
export type VaultMessage = z.infer<typeof vaultMessages>
