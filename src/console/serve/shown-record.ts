import type { Answer, RecordShown } from "../asks.ts"
import { shownText } from "../shown-text.ts"
import { askedText } from "./asked-text.ts"

const maxBodyLength = 2_000

/** What was asked and what became of it, for people; `null` where there is no such record any more. */
export function shownRecord({ record, symbols }: Answer<"record">): RecordShown | null {
  if (record === null) return null
  const { state, outcome, body } = record
  if (body === null) return { state, outcome, asked: null, body }
  const asked = askedText(JSON.parse(body), symbols)
  return { state, outcome, asked, body: shownText(body, maxBodyLength) }
}
