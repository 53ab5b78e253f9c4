import { visible } from "../std/visible.ts"

/** The longest text of the venue's that a refusal carries, and that a read does. In characters, before they are escaped. */
export const maxSaid = 2_048
export const maxRead = 16_384

/** Somebody else's words, marked as such: a model must not take them for instructions. */
export type VenueText = {
  readonly source: "venue"
  readonly untrusted: true
  readonly text: string
}

/** What the venue said, cut, and with what moves a cursor or hides letters escaped. */
export function venueText(said: unknown, most: number): VenueText {
  const text = typeof said === "string" ? said : JSON.stringify(said)
  return { source: "venue", untrusted: true, text: visible(text.slice(0, most)) }
}

/** Ids of orders, checks and records. */
export const idPattern = /^[A-Za-z0-9._:-]{1,64}$/

/** An id that the venue chose; `undefined` where it is anything that could be more than that. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" && idPattern.test(text) ? text : undefined
}
