/** What people are told of a key of venue.yaml; its default, and whether it must be there, the schema tells. */
export type VenueKey = {
  /** How it is written; left out where the schema's own words say it. */
  readonly form?: string
  readonly meaning: string
  /** What is refused, warned of or taken when it isn't there. */
  readonly without?: string
  /** What editors check by where the daemon reads a text that YAML takes for something else. */
  readonly written?: Readonly<Record<string, unknown>>
}

/** By the path of each key, like `symbols.reference_price.value`: steps into lists and of operations are left out. */
export type VenueKeys = Readonly<Record<string, VenueKey>>
