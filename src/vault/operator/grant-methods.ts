import type { GrantView } from "../../contract/bot-views.ts"
import type { AdminParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { compareDecimals, formatDecimal, parseDecimal } from "../../venue/decimal.ts"
import type { ActiveSet, Acts, SetInForce } from "../active/active-set.ts"
import { assertPending } from "../ledger/hold-book.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import { endOf, type Grant, type GrantAsk, type Hold } from "../ledger/records/hold.ts"
import { grantAskOf } from "../request/grant-ask.ts"
import { bindingOf, judgeRequest } from "../request/judge-request.ts"
import { type BodyCall, parseRequest } from "../request/parse-request.ts"
import { namedClient } from "./client-methods.ts"

type Terms = NonNullable<AdminParams["decideHold"]["grant"]>

/** The calls of `countersign held grants`. */
export function grantMethods(vault: Acts & { readonly ledger: Pick<Ledger, "grants"> }) {
  const list = () => vault.ledger.grants().map((grant) => grantView(grant, vault.now()))
  return {
    listGrants: () => Promise.resolve(list().toReversed()),
    endGrant: async ({ id }: AdminParams["endGrant"]): Promise<GrantView> => {
      const grant = list().find((each) => each.id === id)
      if (grant === undefined) throw new Fault("name_unknown", `There is no grant ${id}.`)
      if (grant.ended !== null) {
        throw new Fault("usage", `Too late: this grant has ended already (${grant.ended}).`)
      }
      await vault.act({ act: "grant_ended", hold: id, by: operatorName })
      return { ...grant, ended: "grant_ended" }
    },
  }
}

function grantView(grant: Grant, nowMs: number): GrantView {
  const { hold: id, ...shown } = grant
  return { id, ...shown, ended: endOf(grant, nowMs) ?? null }
}

/** The grant that a person asks for with the release of a hold. @throws {Fault} `usage` where it can't be given. */
export function grantOf(
  id: string,
  { forMs, times, upTo }: Terms,
  holds: SetInForce & { readonly ledger: Pick<Ledger, "holds"> },
): Omit<Grant, "ended"> {
  const nowMs = holds.now()
  const hold = holds.ledger.holds(nowMs).find((each) => each.hold === id)
  assertPending(hold, nowMs)
  const { binding, quantity } = askedBy(hold, holds)
  const sum = parseDecimal(upTo)
  if (sum === undefined || compareDecimals(sum, quantity) < 0) {
    const least = formatDecimal(quantity)
    throw new Fault(
      "usage",
      `--up-to must be a decimal, at least what this request asks: ${least}.`,
    )
  }
  const left = { times_left: times, quantity_left: formatDecimal(sum) }
  return { hold: id, ...binding, until: nowMs + forMs, ...left }
}

/** What the held request would ask of a grant if it came now. */
function askedBy(hold: Hold, { active, now }: SetInForce): GrantAsk {
  const set = active()
  const client = namedClient(hold.client, set)
  const call = callOf(hold, set)
  const read = parseRequest(call, client, set)
  if (!read.ok) throw notGranted(read.error.message)
  const request = read.value
  const decision = judgeRequest(request, client, { set, nowMs: now(), call })
  if (decision.kind === "refuse") throw notGranted(decision.refusal.message)
  const held = decision.kind === "hold" ? decision.hold : undefined
  if (held?.policy !== hold.policy || held.name !== hold.rule) {
    throw notGranted(`${hold.policy}/${hold.rule} doesn't hold it any more`)
  }
  const ask = grantAskOf(bindingOf(request, client), { request, hold: held, set })
  if (!ask.ok) throw notGranted(ask.error)
  return ask.value
}

/** Each request has an idempotency key of its own, if it needs one. */
function callOf({ key, operation, target, body }: Hold, { profile }: ActiveSet): BodyCall {
  const path = profile.endpoints.get(operation)?.path ?? ""
  const fields = JSON.parse(body) as object // our own canonical JSON
  const whole = target === null ? body : JSON.stringify({ ...fields, target_address: target })
  return { path, key, idempotencyKey: "any", body: Buffer.from(whole).toString("base64") }
}

function notGranted(why: string): Fault {
  return new Fault("usage", `This can't be granted for a while, only released once: ${why}`)
}
