import { utf8 } from "../std/bytes.ts"
import { isJsonObject, type JsonObject } from "../venue/json.ts"
import { parseStrictJson } from "../venue/strict-json.ts"

/** A recorded canonical body, which the strict reader accepted once already; empty where there is none. */
export function recordedBody(text: string | null): JsonObject {
  const parsed = parseStrictJson(utf8(text ?? "{}"))
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
}
