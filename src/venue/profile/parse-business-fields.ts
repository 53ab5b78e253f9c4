import { utf8 } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { isJsonObject, type JsonObject, parseStrictJson } from "../json.ts"
import { signingFieldOf } from "../payload/parse-payload.ts"

/** Parses the business fields of a request, as strictly as those from a bot. The error is a sentence. */
export function parseBusinessFields(text: string): Result<JsonObject, string> {
  const parsed = parseStrictJson(utf8(text))
  if (!parsed.ok) return err(`expected JSON, and ${parsed.error.message}`)
  const body = parsed.value
  if (!isJsonObject(body)) return err('expected a JSON object, like {"symbol_id": 1}')
  const supplied = Object.keys(body).find((name) => signingFieldOf(name) !== undefined)
  return supplied === undefined
    ? ok(body)
    : err(`leave ${supplied} out; the daemon fills the signing fields in`)
}
