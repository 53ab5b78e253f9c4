import { parseAddress } from "../venue/address.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../venue/json.ts"
import { parseStrictJson } from "../venue/strict-json.ts"
import { utf8 } from "../std/bytes.ts"
import type { ActiveSet } from "./active-set.ts"
import type { KeyEntry } from "./bindings.ts"
import type { AdminEntry, StoredRecord } from "./ledger/ledger.ts"

const dayMs = 86_400_000

/**
 * What an accepted account operation says about an agent key held here: approved until when, or
 * revoked. That the venue accepted it is the gate's word, so what follows may only narrow what a key
 * signs: an approval sets the time from which the key stops, a revocation ends it for good.
 */
export function actFollowing(record: StoredRecord, set: ActiveSet): AdminEntry | undefined {
  if (record.operation !== "approveAgent" && record.operation !== "revokeAgent") return undefined
  const body = bodyOf(record)
  const agent = agentNamed(body["agent_address"], set)
  if (agent === undefined || agent.approval === "revoked") return undefined
  if (record.operation === "revokeAgent") {
    return { act: "agent_revoked", name: agent.name, record: record.id }
  }
  const validDays = body["valid_days"]
  if (typeof validDays !== "number") return undefined
  const expiresAtMs = record.decidedAtMs + validDays * dayMs
  return { act: "agent_approved", name: agent.name, expiresAtMs, record: record.id }
}

/** The recorded canonical body, which the strict reader accepted once already. */
function bodyOf(record: StoredRecord): JsonObject {
  const parsed = parseStrictJson(utf8(record.body ?? "{}"))
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
}

function agentNamed(value: JsonValue | undefined, set: ActiveSet): KeyEntry | undefined {
  const address = typeof value === "string" ? parseAddress(value) : undefined
  return [...set.keys.values()].find((key) => key.role === "agent" && key.address === address)
}
