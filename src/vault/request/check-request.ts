import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { CheckReport, LimitView } from "../../contract/bot-views.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { formatDecimal } from "../../venue/decimal.ts"
import { viewOf } from "../active/active-set.ts"
import { budgetExhausted } from "../budgets/budget.ts"
import type { Client } from "../ledger/records/bindings.ts"
import { sizesOf } from "../ledger/records/request-row.ts"
import type { Headroom, ReserveAsk } from "../ledger/records/reservation.ts"
import { spentLongest } from "../ledger/meters/meters.ts"
import { limitExhausted } from "../ledger/refusals.ts"
import { recordedTime, type LedgerTime } from "../process/clock.ts"
import type { Asked, CheckContext, ExplainContext } from "./asking.ts"
import { identify, authenticate } from "./authorize.ts"
import {
  bindingOf,
  releaseFor,
  type Release,
  isGuarded,
  judgeRequest,
  refuseNow,
} from "./judge-request.ts"
import { type CheckedCall, withCheck } from "./earlier-check.ts"
import { fitsOf } from "./fits.ts"
import { guardRequest } from "./guard-request.ts"
import { keyToLookUp, parseRequest, type BodyCall } from "./parse-request.ts"
import { refuseRepeat } from "./repeat-request.ts"
import { refuse, wouldHold } from "./refuse.ts"
import { spendingOf } from "./spending.ts"

/** As {@link checkRequest}, where a call names an earlier check: what became of that, a turn of the ledger knows. */
export function checkByCheck(
  call: BotParams["check"],
  vault: CheckContext,
): Promise<BotResults["check"]> {
  const key = keyToLookUp({ ...call, purpose: "return" }, vault.active())
  return vault.ledger.decide(key === undefined ? [] : [key], (turn) => {
    const answer = checkRequest(call, { ...vault, turn })
    return () => answer
  })
}

/** Tells a bot whether its request would be signed now, and why. */
export function checkRequest(
  call: BotParams["check"],
  vault: CheckContext & Pick<ExplainContext, "turn">,
): BotResults["check"] {
  const client = identify(call.token, vault)
  if (!client.ok) return refuse(client.error, null)
  // A recorded check is its own.
  const asked = call.shadow === true ? { ...call, checkAgeMs: 0 } : call
  return { kind: "answer", report: explainRequest(asked, client.value, vault), record: null }
}

/** Every rule's verdict and every limit's headroom for a request. Takes no nonce, signs nothing, counts nothing. */
export function explainRequest(
  call: BodyCall & CheckedCall,
  client: Client,
  vault: ExplainContext,
): CheckReport {
  const set = viewOf(client.keys[0], vault.active())
  const read = parseRequest(call, client, set)
  if (!read.ok) return report({ refusal: read.error })
  const asked = { request: read.value, client, call, set }
  const checked = checkedBefore(asked, vault)
  if (!checked.ok) return report({ refusal: checked.error })
  const judged = { ...asked, call: checked.value }
  const told = explainRead(judged, vault)
  // A check that is named is of this quantity alone.
  if (call.check !== undefined) return told
  const fits = fitsOf(told, judged, (smaller) => {
    return explainRead({ ...judged, request: smaller }, vault).would_sign
  })
  return fits === undefined ? told : { ...told, fits }
}

/** The same of a request that has been read. */
function explainRead({ request, client, call, set }: Checked, vault: ExplainContext): CheckReport {
  const nowMs = vault.now()
  const decision = judgeRequest(request, client, { set, nowMs, call })
  const verdicts = decision.verdicts()
  if (decision.kind === "refuse") return report({ refusal: decision.refusal, verdicts })
  const { ledger } = vault
  const release = releaseFor(decision, bindingOf(request, client), { request, set, ledger, nowMs })
  const { sizes } = decision
  const guarded = isGuarded(vault.accounts, set)
    ? guardRequest(request, { client, sizes, set, nowMs, call }, vault.accounts)
    : undefined
  const standing = ledger.headroom(decision.claims, nowMs)
  const spending = spendingOf(request, client.name, set)
  const short = spending && ledger.budgets.shortage(spending)
  return report({
    refusal:
      refuseNow(request, set, vault) ??
      heldOrSpent({ release, guarded }, standing, nowMs) ??
      (short === undefined ? null : budgetExhausted(short, nowMs)),
    verdicts,
    limits: standing.map((headroom) => limitView(headroom, nowMs)),
  })
}

/** What is checked, by what. */
type Checked = Pick<Asked, "request" | "client" | "set"> & { readonly call: CheckedCall }

/** The call with the age of the check that it names; else what `/sign` says of that, `null` where it gives the same out again. */
function checkedBefore(
  asked: Checked & { readonly call: BodyCall },
  { turn, keyring }: ExplainContext,
): Result<CheckedCall, Refusal | null> {
  const { request, client, call } = asked
  if (turn === undefined || call.check === undefined) return ok(call)
  const use = turn.keyUse({ client: client.name, by: "check", key: call.check })
  if (use.kind !== "kept")
    return withCheck(call, bindingOf(request, client), { use, nowMs: turn.nowMs })
  const repeated = { ...asked, turn, call: { ...call, token: "", purpose: "return" as const } }
  return err(refuseRepeat(use.request, repeated, keyring) ?? null)
}

/**
 * The same at another time, with reference prices as old then as they are now. What limits have used is known as of now: an
 * earlier time finds it the same.
 */
export function explainAt(
  { at, ...call }: BodyCall & { readonly at: number },
  client: Client,
  vault: ExplainContext,
): CheckReport {
  const set = vault.active()
  const laterMs = at - vault.now()
  const prices = [...set.prices].map(([id, price]) => {
    return [id, { ...price, asOfMs: price.asOfMs + laterMs }] as const
  })
  const then = { ...set, prices: new Map(prices) }
  return explainRequest(call, client, {
    ...vault,
    active: () => then,
    now: () => recordedTime(at),
  })
}

/** What stands in the way of what the rules allow: a person's word, else a guard, else a limit. */
function heldOrSpent(
  { release, guarded }: { readonly release: Release; readonly guarded: ReserveAsk["guarded"] },
  standing: readonly Headroom[],
  nowMs: LedgerTime,
): Refusal | undefined {
  if (release.kind === "missing") return wouldHold(release.held)
  const refusal = guarded?.refusal()
  if (refusal !== undefined) return refusal
  const spent = spentLongest(standing)
  return spent && limitExhausted(spent, nowMs)
}

function report({
  refusal,
  verdicts = [],
  limits = [],
}: Pick<CheckReport, "refusal"> & Partial<CheckReport>): CheckReport {
  return { would_sign: refusal === null, refusal, verdicts, limits }
}

/**
 * Answers as a check does, and records the request, so that `policy replay` can judge it by other files:
 * a bot can so be tried against a policy before it trades. Nothing is signed or counted. What can't be
 * read isn't recorded, nor what no policy is for, nor anything while the disk is nearly full or when a client asks for
 * more than its part.
 */
export async function shadowRequest(
  call: BotParams["check"],
  vault: CheckContext,
): Promise<BotResults["check"]> {
  const answer = checkRequest(call, vault)
  if (answer.kind === "refused" || isWithoutPolicy(answer.report.refusal)) return answer
  const nowMs = vault.now()
  const active = vault.active()
  const client = authenticate(call.token, active, { count: vault.badTokens, nowMs })
  if (!client.ok || !hasRoom(call, client.value, vault)) return answer
  const set = viewOf(client.value.keys[0], active)
  const read = parseRequest(call, client.value, set)
  if (!read.ok) return answer

  const decision = judgeRequest(read.value, client.value, {
    ...{ set, nowMs },
    call: { ...call, checkAgeMs: 0 },
  })
  const record = await vault.ledger.recordShadow(
    {
      ...bindingOf(read.value, client.value),
      path: read.value.endpoint.path,
      signer: read.value.parties.signer,
      policy_hash: set.policyHash,
      ...sizesOf(decision.kind === "refuse" ? [] : decision.sizes),
    },
    nowMs,
  )
  return { ...answer, record }
}

function isWithoutPolicy(refusal: Refusal | null): boolean {
  return refusal?.code === "policy_denied" && refusal.data.reason === "no_policy_applies"
}

function hasRoom(
  { body }: BodyCall,
  { name }: Client,
  { clock, disk, ledger }: CheckContext,
): boolean {
  if (disk.low !== undefined) return false
  const bytes = Buffer.byteLength(body, "base64")
  return ledger.rows.take({ client: name, kind: "shadow", bytes }, clock.monotonicMs())
}

/** How a limit stands, as bots and operators see it. */
function limitView({ claim, used, asked, freesAtMs }: Headroom, nowMs: LedgerTime): LimitView {
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
