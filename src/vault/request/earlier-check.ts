import type { Refusal } from "../../contract/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { KeyUse } from "../ledger/found-records.ts"
import type { HoldBinding } from "../ledger/records/hold.ts"
import { type Denial, verdictOf } from "../policy/terms.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { BodyCall } from "./parse-request.ts"

/** A call, and how far from now the check was recorded that it is signed by. */
export type CheckedCall = Pick<BodyCall, "idempotencyKey" | "check"> & {
  readonly checkAgeMs?: number
}

/** A call with the age of the check that it names, which must be of the very same and unused. */
export function withCheck<Call extends CheckedCall>(
  call: Call,
  asked: HoldBinding,
  { use, nowMs }: { readonly use: KeyUse; readonly nowMs: LedgerTime },
): Result<Call, Refusal> {
  if (call.check === undefined) return ok(call)
  const row = use.kind === "unused" ? use.check : undefined
  if (row?.client !== asked.client) return err(checkUnknown)
  const named = ["key", "operation", "target", "body"] as const
  const differs = named.filter((name) => row[name] !== asked[name])
  if (differs.length > 0) return err(checkMismatch(differs))
  // Where the clock was set back it may lie ahead: so far ahead it is as bad as so far behind.
  return ok({ ...call, checkAgeMs: Math.abs(nowMs - row.at_ms) })
}

const howToCheck =
  "send it to /check with Countersign-Shadow: 1, then sign the same with Countersign-Check: the id in that answer's Countersign-Record"

const checkUnknown: Refusal = {
  code: "check_unknown",
  message: `This client has no unused check with this id; ${howToCheck}.`,
  data: null,
}

function checkMismatch(differs: readonly ("key" | "operation" | "target" | "body")[]): Refusal {
  const message = `What was checked has another ${differs.join(", ")}; check what is to be signed.`
  return { code: "check_mismatch", message, data: { differs } }
}

/** What `require_check` refuses: the order wasn't checked, or not within its time. */
export function checkLacking(denial: Denial, age_ms: number, within_ms: number): Refusal {
  const { policy, file, line } = verdictOf(denial)
  const where = `${policy}/require_check, ${file}:${line}`
  if (age_ms < Infinity) {
    const message = `The check is older than policy allows (${where}); check it again.`
    return { code: "check_expired", message, data: { age_ms, within_ms } }
  }
  const message = `Policy wants this checked first (${where}): ${howToCheck}, within ${within_ms} ms.`
  return { code: "check_required", message, data: { policy, file, line, within_ms } }
}
