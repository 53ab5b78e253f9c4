// The admin socket's calls about agents, files, what was recorded, the clock and stops. `methods.ts` has the others.

import * as z from "zod"

import type { SymbolsView, KeyView } from "../../contract/bot-views.ts"
import type { SignedOperation } from "../../contract/signed.ts"
import type { PanicView } from "../../contract/stop-views.ts"
import type { TypedOperation, Warning } from "../../contract/views.ts"
import { type FreezeView, freezeViewSchema, outcomeSchema } from "./both-ways.ts"
import { record } from "./gate-methods.ts"

/** What a key or a client can be called. */
export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "1 to 64 of a-z 0-9 . _ -, starting with a letter or digit")
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "an address: 0x and 40 hex digits")

const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const hash = z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits")
const ms = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

/** A set of files, by its hash. */
export const policyHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "64 hex digits, as countersign showed them")

/** A signed head of the journal, as it is kept outside. */
export const checkpointSchema = z.strictObject({
  at_ms: ms,
  head_seq: seq,
  head_hash: hash,
  public_key: hash,
  signature: z.string().regex(/^[0-9a-f]{128}$/, "128 hex digits"),
})

/** What is asked for a longer or a first approval of an agent. */
const approval = z.strictObject({
  agent: name,
  validDays: z.int().min(1).max(90),
  label: z.string().max(64),
})

/** Their parameters. */
export const partParams = {
  /** `wallet` is the address of a wallet held elsewhere; left out, the agent's own wallet key signs here. */
  approveAgent: approval.extend({
    wallet: address.optional(),
    /** One of venue.yaml's signature_chain_ids; left out, the first. */
    chainId: z.int().optional(),
    expiresInMs: z.int().min(1_000).max(3_600_000).optional(),
  }),
  revokeAgent: z.strictObject({ agent: name }),
  renewAgent: approval,
  /** The signature that a wallet held elsewhere made over what `approveAgent` described. */
  completeApproval: z.strictObject({ record, signature: z.string().max(200) }),
  /** What became of an account operation that the operator sent. */
  settleOperation: z.strictObject({ record, outcome: outcomeSchema }),

  /** `hash`: of the files that were looked at. */
  reload: z.strictObject({ hash: policyHash.optional() }),
  /** The files in force, which needn't be those on disk. The ledger has those that were before. */
  filesInForce: z.strictObject({}),
  /** How the files on disk are others than those in force. */
  filesOnDisk: z.strictObject({}),
  /** Those of venue.yaml. */
  listSymbols: z.strictObject({}),
  acceptPolicy: z.strictObject({ hash: policyHash }),
  rollback: z.strictObject({ hash: policyHash }),

  /** Where the journal ends; all of it is on the disk then. Commands read the ledger by themselves. */
  ledgerHead: z.strictObject({}),
  /** How PostgreSQL stands, where the ledger's order is there. */
  ledgerServer: z.strictObject({}),
  auditCheckpoint: z.strictObject({}),
  /** What may go into an archive next; `null`: as `archive` in countersign.yaml says. */
  auditArchivable: z.strictObject({ before_ms: ms.nullable() }),
  /** Records that entries are in a file, which is durable and checked. */
  auditArchive: z.strictObject({
    file: z
      .string()
      .regex(/^countersign-archive-\d{1,16}-\d{1,16}\.jsonl\.gz$/, "an archive's name"),
    sha256: hash,
    first_seq: seq,
    last_seq: seq,
    last_hash: hash,
    from_ms: ms,
    to_ms: ms,
  }),
  /** Removes some of the entries that are in an archive. */
  auditTrim: z.strictObject({}),
  /** Records that a copy up to this entry was written and checked. */
  recordBackup: z.strictObject({ head_seq: z.int().min(0), head_hash: hash }),

  /** The clock, and why it is doubted. */
  lookAtClock: z.strictObject({}),
  /** `offset_ms`: of the clock that a person was shown. */
  acceptClock: z.strictObject({ offset_ms: z.int() }),
  /** The signers that wait, of a ledger that was copied or restored. */
  lookAtRestore: z.strictObject({}),
  /** `signers`: as a person was shown them. */
  acceptRestore: z.strictObject({
    signers: z.array(z.strictObject({ signer: z.string().max(64), nonce: z.int() })).max(1_000),
  }),

  /** `cancels`: whether cancels and reduce-only orders stay open. */
  freeze: z.strictObject({
    scope: z.enum(["all", "client", "key"]),
    name: name.nullable(),
    reason: z.string().min(1).max(200),
    cancels: z.boolean(),
    /** Who asked, where it wasn't the command line: a name that no client can have. */
    by: z
      .string()
      .regex(/^console\/[\w.@-]{1,64}$/, "console/ and a user's name")
      .optional(),
  }),
  /** The freezes to end, as a person was shown them. */
  thaw: z.strictObject({ freezes: z.array(freezeViewSchema).min(1).max(1_000) }),
  /** Freezes everything and signs the cancels of venue.yaml; the caller sends them. */
  panic: z.strictObject({ reason: z.string().min(1).max(190) }),
}

/** Above which nonce each signer goes on. */
type Floors = { readonly signers: readonly { readonly signer: string; readonly nonce: number }[] }

/** Their results. */
export type PartResults = {
  approveAgent:
    | ({ readonly kind: "signed" } & SignedOperation)
    | ({ readonly kind: "to_be_signed" } & TypedOperation)
  revokeAgent: SignedOperation
  renewAgent: SignedOperation
  completeApproval: SignedOperation
  settleOperation: { readonly key: KeyView | null }

  reload: { readonly policy_hash: string; readonly warnings: readonly string[] }
  /** In their order; a long one in pieces, which have its name. */
  filesInForce: readonly { readonly name: string; readonly text: string }[]
  filesOnDisk: { readonly differ: Warning | null }
  /** `policy_hash`: of the files in force that say so. */
  listSymbols: SymbolsView & { readonly policy_hash: string }
  acceptPolicy: { readonly policy_hash: string }
  rollback: { readonly policy_hash: string }

  ledgerHead: { readonly seq: number; readonly hash: string }
  /** `said`: JSON, which the vault doesn't read; `null` where the ledger is this host's alone. */
  ledgerServer: { readonly said: string | null }
  auditCheckpoint: { readonly signed: boolean }
  auditArchivable: {
    /** The last entry that may go. */
    readonly last_seq: number
    /** Why the next one stays; `null` where there is none. */
    readonly stays: { readonly seq: number; readonly why: string } | null
  }
  auditArchive: { readonly record: string }
  auditTrim: { readonly removed: number }
  recordBackup: { readonly record: string }

  lookAtClock: { readonly now: number; readonly offset_ms: number; readonly why: string }
  acceptClock: { readonly record: string; readonly now: number }
  lookAtRestore: Floors
  acceptRestore: Floors & { readonly record: string }

  freeze: FreezeView
  /** What is frozen still. */
  thaw: readonly FreezeView[]
  panic: PanicView
}
