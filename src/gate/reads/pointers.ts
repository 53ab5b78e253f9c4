// What is at a place in an answer that `parseRawJson` read.

/** No decimal that the vault takes is longer. */
export const maxTextLength = 64

/** The steps of a JSON Pointer (RFC 6901), none of them empty; `undefined` for any other text. */
export function parseSteps(text: string): readonly string[] | undefined {
  if (!/^(?:\/(?:[^~/]|~[01])+)+$/.test(text)) return undefined
  const steps = text.slice(1).split("/")
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}

/** What the steps of a JSON Pointer lead to. */
export function at(from: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => {
    const isInside = typeof inner === "object" && inner !== null && Object.hasOwn(inner, step)
    return isInside ? (inner as Readonly<Record<string, unknown>>)[step] : undefined
  }, from)
}

/** The text of a string, or of a number as it was written. */
export function textAt(entry: unknown, steps: readonly string[]): string | undefined {
  const found = at(entry, steps)
  const text = isRawJSON(found) ? JSON.stringify(found) : found
  return typeof text === "string" && text.length <= maxTextLength ? text : undefined
}

/** As {@link textAt}, and `true` and `false` too. */
export function wordAt(entry: unknown, steps: readonly string[]): string | undefined {
  const found = at(entry, steps)
  return typeof found === "boolean" ? `${found}` : textAt(entry, steps)
}

// As of 6.0 TypeScript's own types don't have it.
const { isRawJSON } = JSON as typeof JSON & { readonly isRawJSON: (value: unknown) => boolean }
