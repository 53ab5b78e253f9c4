import { parseAddress } from "../venue/address.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../venue/json.ts"
import { parseStrictJson } from "../venue/strict-json.ts"
import { utf8 } from "../std/bytes.ts"
import type { ActiveSet } from "./active-set.ts"
import type { KeyEntry } from "./bindings.ts"
import type { AdminEntry, StoredRecord } from "./ledger/ledger.ts"

const dayMs = 86_400_000

/** ECMAScript's last time: a later one is no date, and beyond 2^53 no exact number. */
const maxTimeMs = 8_640_000_000_000_000

/**
 * What an accepted account operation says about an agent key held here: approved until when, or
 * revoked. That the venue accepted it is the gate's word, so it is heard once and only of an agent of
 * the wallet that signed: whoever may revoke agents of one wallet can't end another's.
 */
export function actFollowing(record: StoredRecord, set: ActiveSet): AdminEntry | undefined {
  if (record.state === "accepted" || record.state === "refused") return undefined
  const body = bodyOf(record)
  const agent = agentNamed(body["agent_address"], set)
  if (agent === undefined || !mayChange(record.key, agent)) return undefined
  if (record.operation === "revokeAgent") {
    return { act: "agent_revoked", name: agent.name, record: record.id }
  }
  const validDays = record.operation === "approveAgent" ? body["valid_days"] : undefined
  if (typeof validDays !== "number") return undefined
  const expiresAtMs = Math.min(record.decidedAtMs + validDays * dayMs, maxTimeMs)
  return { act: "agent_approved", name: agent.name, expiresAtMs, record: record.id }
}

/** Of an agent whose wallet isn't held here nobody knows better than who signed. */
function mayChange(signer: string | null, { wallet, approval }: KeyEntry): boolean {
  return approval !== "revoked" && (wallet === null || wallet === signer)
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
