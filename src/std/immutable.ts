/** A `Value` that nobody changes, down to its parts. */
export type Immutable<Value> = Value extends string | number | bigint | boolean | null | undefined
  ? Value
  : { readonly [Key in keyof Value]: Immutable<Value[Key]> }
