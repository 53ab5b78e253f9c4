import { decodeUtf8 } from "../../std/bytes.ts"

// ECMAScript's "JSON.parse source text access", which TypeScript's own types don't have as of 6.0.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown }
type Source = { readonly source?: string }

/** Parses bytes as JSON in which each number stays the text that it came as; `undefined` when they are none. */
export function parseRawJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  if (!text.ok) return undefined
  try {
    return JSON.parse(text.value, (_, value: unknown, context?: Source) =>
      typeof value === "number" ? rawJSON(context?.source ?? "null") : value,
    )
  } catch {
    return undefined // no JSON, or too deep
  }
}
