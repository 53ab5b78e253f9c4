import type { Profile } from "../venue/profile.ts"

/** The lines of venue.yaml without which a panic cancels nothing. */
export function missingLines({ panic: lines, endpoints }: Profile): readonly string[] {
  const operations = new Set(lines.map(({ operation }) => operation))
  if (lines.length === 0) operations.add("cancelAll")
  const tags = [...operations].flatMap((id) => {
    const signing = endpoints.get(id)?.signing
    return signing === undefined || signing.known ? [] : [signing.addLine]
  })
  const panicLine = "panic: [{operation: cancelAll, body: '{…}'}]"
  return lines.length === 0 ? [panicLine, ...tags] : tags
}
