import { parseJson } from "../std/parse-json.ts"

/** An entry as it is stored, in the database or in an archive. */
export type StoredEntry = {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly at_ms: number
  readonly row: string
  readonly hash: Uint8Array
}

/** What a row of the journal says. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of a row. Empty where it can't be read: showing what is there doesn't prove it. */
export function fieldsOf(row: string): Fields {
  return membersOf(parseJson(row))
}

/** The members of what may be an object; empty where it is none. */
export function membersOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {}
}
