import { z } from "zod"

/** What the vault tells its parent over IPC. */
export const vaultMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ready"),
    /** What the gate has to know, since it can't read the configuration. */
    gate: z.object({
      host: z.string(),
      port: z.int(),
      allowedHosts: z.array(z.string()).readonly(),
      baseUrl: z.string().optional(),
    }),
    warnings: z.array(z.string()).readonly(),
  }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])
export type VaultMessage = z.infer<typeof vaultMessageSchema>
