import type { JsonValue } from "../../venue/json.ts"

/** What may be kept of a body, in characters and members: more than a batch of 50 orders has. */
const maxSize = 24_576

/** Whether a value is cheap to keep. It looks no further than it has to. */
export function isSmall(value: JsonValue): boolean {
  return sizeLeft(value, maxSize) >= 0
}

function sizeLeft(value: JsonValue, left: number): number {
  if (left < 0) return left
  if (typeof value === "string") return left - value.length
  if (typeof value !== "object" || value === null) return left - 1
  return Object.entries(value).reduce(
    (rest, [name, member]) => (rest < 0 ? rest : sizeLeft(member, rest - name.length - 1)),
    left,
  )
}
