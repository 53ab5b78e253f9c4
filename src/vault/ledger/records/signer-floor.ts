import type { Address } from "../../../venue/address.ts"

export type SignerFloor = { readonly signer: Address; readonly nonce: number }
