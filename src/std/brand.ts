declare const brand: unique symbol

/** A `Base` that only its own parser makes. Whoever has one knows that it was checked. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name }
