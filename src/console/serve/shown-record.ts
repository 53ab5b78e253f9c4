import type { Answer, RecordShown } from "../asks.ts"
import { askedText } from "../asked-text.ts"
import { shownText } from "../shown-text.ts"

const maxBodyLength = 2_000

/** What was asked and what became of it, for people; `null` where there is no such record any more. */
export function shownRecord(answer: Answer<"record">): RecordShown | null {
  const { record, symbols, place, verdicts } = answer
  if (record === null) return null
  const { operation, body } = record
  const told = { ...record, place, verdicts }
  if (body === null) return { ...told, asked: null }
  const asked = askedText({ operation, body: JSON.parse(body) }, symbols)
  return { ...told, asked, body: shownText(body, maxBodyLength) }
}
