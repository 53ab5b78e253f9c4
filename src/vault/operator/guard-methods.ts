import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import {
  addDecimals,
  type Decimal,
  formatDecimal,
  maxDecimal,
  multiplyDecimals,
  parseDecimal,
} from "../../venue/decimal.ts"
import type { Acts } from "../active/active-set.ts"
import type { GuardedAccount, GuardedAccounts } from "../guards/accounts.ts"
import { anchored, hundredth, isPlausible, paidIn, paidOut } from "../guards/equity.ts"
import { marksFields } from "../ledger/records/guard-rows.ts"
import { fullName, lossNow } from "../request/guard-losses.ts"
import { appliedTo, dayEnd, dayStarts } from "./follow-equity.ts"

type Guarded = Pick<Acts, "active" | "act" | "now"> & { readonly accounts: GuardedAccounts }

/** A person's word on losses. */
export function guardMethods(vault: Guarded) {
  return {
    rearmGuard: (params: AdminParams["rearmGuard"]) => rearmGuard(params, vault),
    anchorAccount: (params: AdminParams["anchorAccount"]) => anchorAccount(params, vault),
    tellFlow: (params: AdminParams["tellFlow"]) => tellFlow(params, vault),
  }
}

/**
 * `countersign guards rearm`: the account may lose so much more for a while, by this guard; that of a day no longer than the
 * day. What the guard froze stays frozen.
 *
 * @throws {Fault} `name_unknown`; `usage` while the loss can't be told.
 */
async function rearmGuard(
  { guard: name, account: of, allow, forMs, reason }: AdminParams["rearmGuard"],
  vault: Guarded,
): Promise<AdminResults["rearmGuard"]> {
  const { guard, account } = namedGuard(name, of, vault)
  const [set, since] = [vault.active(), vault.now()]
  const loss = lossNow(guard, account, { set, nowMs: since })
  const more = parseDecimal(allow)
  if (more === undefined) throw new Fault("usage", "--allow must be a decimal like 200.")
  if (typeof loss === "string") throw new Fault("usage", untold(account))
  const until = Math.min(since + forMs, dayEnd(guard, since) ?? Infinity)
  const max = formatDecimal(maxDecimal(loss.max, addDecimals(loss.measured, more)))
  account.last.over = new Set() // from now on two readings in a row freeze again
  const act = { act: "guard_rearmed", guard: fullName(guard), account: account.address } as const
  await vault.act({
    ...{ ...act, bounds: guard.loss.kind, since, until, max, froze: false, reason },
  })
  return { guard: act.guard, account: account.name, max, until }
}

/** A guard on losses, and an account that is traded under it; where there are several a person says which. */
function namedGuard(name: string, of: string | undefined, vault: Guarded) {
  const all = [...vault.accounts.values()].flatMap((account) =>
    appliedTo(account, vault.active()).map(({ guard }) => ({ guard, account })),
  )
  const named = all
    .filter(({ guard }) => guard.name === name || fullName(guard) === name)
    .filter(({ account }) => of === undefined || account.name === of)
  const [first, second] = named
  if (first === undefined) {
    throw new Fault(
      "name_unknown",
      `No guard named ${name} bounds losses of ${of ?? "an account"}; countersign limits show lists them.`,
    )
  }
  if (second === undefined) return first
  const which = named.map(({ guard, account }) => `${fullName(guard)} of ${account.name}`)
  throw new Fault(
    "usage",
    `${name} is ${which.join(", ")}: name one as policy/name, with --account.`,
  )
}

/**
 * `countersign guards anchor`: losses of an account count from what it has now, whatever was before, and no guard of it stands
 * tripped. A person agrees to the equity that was shown; where it is over 1 % off by then, they are asked again.
 *
 * @throws {Fault} `name_unknown`; `usage` before the account was read.
 */
async function anchorAccount(
  { account: name, agreed, reason }: AdminParams["anchorAccount"],
  vault: Guarded,
): Promise<AdminResults["anchorAccount"]> {
  const account = namedAccount(name, vault)
  const reading = account.exposure.reading()
  const mapping = vault.active().profile.accountPoll?.mapping
  if (reading?.equity === undefined || mapping === undefined) {
    throw new Fault("usage", untold(account))
  }
  const { equity, askedAtMs: readAtMs } = reading
  const shown = agreed === undefined ? undefined : parseDecimal(agreed)
  const answer = { account: name, equity: formatDecimal(equity), read_at: readAtMs }
  if (shown === undefined || isFar(shown, equity)) return { ...answer, isAnchored: false }
  const days = dayStarts(appliedTo(account, vault.active()), readAtMs)
  const marks = marksFields(account.address, anchored({ readAtMs, equity, mapping }, days))
  Object.assign(account.last, {
    ...{ equity, readAtMs, believed: equity },
    ...{ doubt: undefined, over: new Set() },
  })
  await vault.act({ act: "account_marked", ...marks, anchored: true, reason })
  return { ...answer, isAnchored: true }
}

function isFar(one: Decimal, other: Decimal): boolean {
  return !isPlausible(one, other, multiplyDecimals(one, hundredth))
}

/**
 * `countersign guards flow`: what was paid in or out, and a reading shows already, is neither profit nor loss.
 *
 * @throws {Fault} `name_unknown`; `usage` before the account was read.
 */
async function tellFlow(
  { account: name, direction, amount: text, reason }: AdminParams["tellFlow"],
  vault: Guarded,
): Promise<AdminResults["tellFlow"]> {
  const account = namedAccount(name, vault)
  const marks = vault.active().marks.get(account.address)
  const amount = parseDecimal(text)
  if (amount === undefined) throw new Fault("usage", "The amount must be a decimal like 5000.")
  if (marks === undefined) throw new Fault("usage", untold(account))
  // What is recorded may be a thousandth off.
  const now = { ...marks, equity: account.last.believed ?? marks.equity }
  const moved = direction === "in" ? paidIn(now, amount) : paidOut(now, amount)
  await vault.act({ act: "account_marked", ...marksFields(account.address, moved), reason })
  return { account: name }
}

function namedAccount(name: string, { accounts }: Guarded): GuardedAccount {
  const account = [...accounts.values()].find((each) => each.name === name)
  if (account !== undefined) return account
  const names = [...accounts.values()].map((each) => each.name).join(", ") || "none"
  throw new Fault("name_unknown", `venue.yaml has no account named ${name}; it has ${names}.`)
}

function untold({ name }: GuardedAccount): string {
  return `What ${name} is worth isn't known now; countersign limits show says when it was read, and account.equity in venue.yaml where.`
}
