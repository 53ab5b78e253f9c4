import type { LimitView } from "../link/views.ts"
import { formatDecimal } from "../venue/decimal.ts"
import type { Headroom } from "./ledger/meters.ts"

/** How a limit stands, as bots and operators see it. */
export function limitView({ claim, used, asked, freesAtMs }: Headroom, nowMs: number): LimitView {
  return {
    policy: claim.policy,
    limit: claim.limit,
    file: claim.file,
    line: claim.line,
    mode: claim.mode,
    max: formatDecimal(claim.max),
    used: formatDecimal(used),
    asked: formatDecimal(asked),
    frees_at: freesAtMs === undefined || freesAtMs <= nowMs ? null : freesAtMs,
  }
}
