import type { BotParams } from "../../link/calls/methods.ts"
import type { Refusal, Refused } from "../../contract/refusal.ts"
import type { FieldError } from "../../venue/json.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Client } from "../ledger/records/bindings.ts"
import type { Decision, Denial } from "../policy/terms.ts"
import type { LedgerTime } from "../process/clock.ts"

/** The answer that says no. */
export function refuse(refusal: Refusal, record: string | null): Refused {
  return { kind: "refused", refusal, record }
}

/** Says no to a known client, and records it. */
export function recordRefusal(
  refusal: Refusal,
  context: {
    readonly client: Client
    /** Without a path it is of no operation. */
    readonly call: Pick<BotParams["check"], "key"> & { readonly path?: string }
    readonly set: ActiveSet
    readonly nowMs: LedgerTime
    readonly ledger: Pick<Ledger, "note">
  },
): Refused {
  const { client, call, set, nowMs, ledger } = context
  const record = ledger.note(
    {
      client: client.name,
      key: call.key ?? null,
      operation: set.profile.endpointByPath.get(call.path ?? "")?.id ?? null,
      policy_hash: set.policyHash,
      refusal,
    },
    nowMs,
  )
  return refuse(refusal, record)
}

/** Policy's "no" as a refusal. */
export function policyDenied(denial: Denial): Refusal {
  return { code: "policy_denied", message: denialMessage(denial), data: denial }
}

/** What a held request would be refused with; checking opens no hold. */
export function wouldHold({ hold }: Extract<Decision, { kind: "hold" }>): Refusal {
  return {
    code: "approval_required",
    message: `A person must release this request (${hold.policy}/${hold.name}, ${hold.file}:${hold.line}); sending it opens the hold.`,
    data: { hold: null, expires_at: null },
  }
}

/** A key that is out of memory signs nothing until an operator unlocks it. */
export function keyLocked(key: string): Refusal {
  return {
    code: "locked",
    message: `The key ${key} is locked, so it signs nothing; the operator unlocks it with countersign unlock.`,
    data: { key },
  }
}

function denialMessage({ policy, rule, reason, file, line, ...said }: Denial): string {
  const where = file === null ? "" : ` (${policy ?? ""}/${rule ?? ""}, ${file}:${line ?? 0})`
  const what = (["path", "asked", "allowed"] as const).flatMap((name) => {
    const text = said[name] ?? null
    return text === null ? [] : `${name} ${text}`
  })
  return `Refused by policy: ${reason}${where}${what.length > 0 ? `; ${what.join(", ")}` : ""}.`
}

/** The longest path that a refusal quotes: a bot's keys must not make an answer that no frame holds. */
const maxPathUnits = 120

/** One refusal for all the broken rules of a body, its message being the first one's. */
export function invalidRequest(broken: readonly FieldError[]): Refusal {
  const errors = broken.map((error) => ({ ...error, path: clip(error.path) }))
  const first = errors[0]
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more in data.errors)` : ""
  const message =
    first === undefined ? "the body is invalid" : `${first.path || "body"}: ${first.message}${more}`
  return { code: "invalid_request", message, data: { errors } }
}

function clip(path: string): string {
  return path.length > maxPathUnits ? `${path.slice(0, maxPathUnits)}…` : path
}
