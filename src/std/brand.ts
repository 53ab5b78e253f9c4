declare const brand: unique symbol

/** A `Base` that only its own parser can make, so that holding one is the proof that it was checked. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name }
