// The admin socket's calls of an agent key's life, and the word on what an operator sent.

import * as z from "zod"

import { outcomeSchema } from "./both-ways.ts"
import type { SignedOperation } from "../../contract/signed.ts"
import type { TypedOperation } from "../../contract/views.ts"
import type { KeyView } from "../../contract/bot-views.ts"

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "1 to 64 of a-z 0-9 . _ -, starting with a letter or digit")
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "an address: 0x and 40 hex digits")
const record = z.string().max(64)

/** Their parameters. */
export const agentParams = {
  /** `wallet` is the address of a wallet held elsewhere; left out, the agent's own wallet key signs here. */
  approveAgent: z.strictObject({
    agent: name,
    validDays: z.int().min(1).max(90),
    label: z.string().max(64),
    wallet: address.optional(),
    /** One of venue.yaml's signature_chain_ids; left out, the first. */
    chainId: z.int().optional(),
    expiresInMs: z.int().min(1_000).max(3_600_000).optional(),
  }),
  revokeAgent: z.strictObject({ agent: name }),
  renewAgent: z.strictObject({
    agent: name,
    validDays: z.int().min(1).max(90),
    label: z.string().max(64),
  }),
  /** The signature that a wallet held elsewhere made over what `approveAgent` described. */
  completeApproval: z.strictObject({ record, signature: z.string().max(200) }),
  /** What became of an account operation that the operator sent. */
  settleOperation: z.strictObject({ record, outcome: outcomeSchema }),
}

/** Their results. */
export type AgentResults = {
  approveAgent:
    | ({ readonly kind: "signed" } & SignedOperation)
    | ({ readonly kind: "to_be_signed" } & TypedOperation)
  revokeAgent: SignedOperation
  renewAgent: SignedOperation
  completeApproval: SignedOperation
  settleOperation: { readonly key: KeyView | null }
}
