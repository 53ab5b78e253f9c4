import type { SignerFloor } from "./signer-marks.ts"

/** What an operator did about copies of the ledger and about the clock. */
export type SafetyEntry =
  /** A copy up to and with the entry `headSeq` was written and checked; `headHash` is that entry's, hex. */
  | { readonly act: "backed_up"; readonly headSeq: number; readonly headHash: string }
  /** From here on the ledger has another name, and these signers go on above these nonces. */
  | {
      readonly act: "restore_accepted"
      readonly ledger: string
      readonly signers: readonly SignerFloor[]
    }
  | { readonly act: "clock_accepted" }

/** The same as the journal holds it. */
export type SafetyAct =
  | { readonly act: "backed_up"; readonly head_seq: number; readonly head_hash: string }
  | {
      readonly act: "restore_accepted"
      readonly ledger: string
      /** The nonces that they go on above. */
      readonly signers: readonly { readonly signer: string; readonly nonce: number }[]
    }
  | { readonly act: "clock_accepted" }
