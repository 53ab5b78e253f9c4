/** A member of an EIP-712 struct, named as in the type string (camelCase). */
export type StructField = { readonly name: string; readonly type: string }

/** A flat EIP-712 struct. `typeHash` is keccak256 of `typeString`. */
export type StructType = {
  readonly name: string
  readonly fields: readonly StructField[]
  readonly typeString: string
  readonly typeHash: Uint8Array
}
