/** The fields of a body that say who signs and until when; never business fields. */
export const signingFields: readonly string[] = [
  "signer_address",
  "target_address",
  "nonce",
  "expires_after",
  "signature",
]
