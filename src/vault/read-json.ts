import type { Refusal } from "../link/refusal.ts"
import { err, type Result } from "../std/result.ts"
import type { JsonValue } from "../venue/json.ts"
import { maxJsonDepth, parseStrictJson } from "../venue/strict-json.ts"

/** Reads a bot's bytes, or refuses with the place where they stop being JSON. */
export function readJson(bytes: Uint8Array, maxDepth = maxJsonDepth): Result<JsonValue, Refusal> {
  const parsed = parseStrictJson(bytes, maxDepth)
  if (parsed.ok) return parsed
  const { message, offset } = parsed.error
  return err({ code: "invalid_json", message, data: { offset } })
}
