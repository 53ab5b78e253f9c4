import * as z from "zod"

import { err, ok, type Result } from "../../../std/result.ts"
import { type GuardedAccount, openAccounts } from "../../../vault/guards/accounts.ts"
import type { Reading } from "../../../vault/guards/exposure.ts"
import { anchored, type Marks } from "../../../vault/guards/equity.ts"
import { readingOf } from "../../../vault/operator/account-methods.ts"
import { dayStarts } from "../../../vault/operator/follow-equity.ts"
import type { Policy } from "../../../vault/policy/terms.ts"
import {
  amount,
  durationMs,
  objectError,
  oneOf,
  yesOrNo,
} from "../../../vault/policy/values/scalars.ts"
import { boundsLoss } from "../../../vault/request/guard-losses.ts"
import type { Profile } from "../../../venue/profile.ts"

const text = z.string({ error: "must be a text" })
const positionSide = oneOf(["long", "short", "both"]).optional()

const order = z.strictObject(
  {
    ...{ symbol: text, is_buy: yesOrNo, position_side: positionSide, remaining: text },
    ...{ price: text.optional(), reduce_only: yesOrNo.optional() },
  },
  { error: objectError("an open order: symbol, is_buy, remaining, and price") },
)

const position = z.strictObject(
  { symbol: text, position_side: positionSide, quantity: text },
  { error: objectError("a position: symbol and quantity, below zero where it is short") },
)

/** What a case says of the account that its key trades: a reading as POST /account takes one, less what a case needn't say. */
export const caseAccountSchema = z
  .strictObject(
    {
      name: text.optional(),
      orders: z.array(order, { error: "must be a list" }).optional(),
      positions: z.array(position, { error: "must be a list" }).optional(),
      equity: text.optional(),
      had: amount.optional(),
      read_ago: durationMs({ least: "1ms", most: "1d", example: "10s" }).optional(),
    },
    { error: objectError("an account: orders, positions and equity") },
  )
  .transform(({ name, orders = [], positions = [], equity, had, read_ago }) => ({
    ...{ name, had, readAgoMs: read_ago ?? 0 },
    reading: {
      orders: orders.map(({ reduce_only = false, ...own }) => ({ ...own, reduce_only })),
      positions,
      equity,
    },
  }))

export type CaseAccount = z.output<typeof caseAccountSchema>

/** An account as a case has it, and what its losses are counted from. */
type ReadAccount = { readonly account: GuardedAccount; readonly marks: Marks | undefined }

type Mistake = { readonly path: readonly string[]; readonly message: string }

type At = {
  readonly files: { readonly policies: readonly Policy[]; readonly profile: Profile }
  readonly atMs: number
}

/** The account of venue.yaml that a case means, as the vault reads it; or what is wrong with it. */
export function readCaseAccount(
  written: CaseAccount,
  at: At,
): Result<ReadAccount, readonly Mistake[]> {
  const { profile } = at.files
  const accounts = [...openAccounts(profile.accountPoll, 0).values()]
  const { name } = written
  const [account, another] = accounts.filter((each) => name === undefined || each.name === name)
  if (account === undefined || another !== undefined) {
    return err([{ path: name === undefined ? [] : ["name"], message: whichOne(accounts) }])
  }
  const read = readingOf(written.reading, account, asFed(profile))
  if (read.ok) return ok({ account, marks: take(read.value, account, { ...at, written }) })
  return err(read.error.map(({ path, message }) => ({ path: path.split("/").slice(1), message })))
}

/** A case may leave equity out, as a client may that reads. */
function asFed(profile: Profile): Profile {
  const { accountPoll: poll } = profile
  return { ...profile, accountPoll: poll && { ...poll, isFed: true } }
}

/** Takes a reading as the first of its account; the marks that it makes. */
function take(
  reading: Omit<Reading, "askedAtMs" | "venueAtMs">,
  { exposure, last }: GuardedAccount,
  { files: { policies, profile }, atMs, written }: At & { readonly written: CaseAccount },
): Marks | undefined {
  const readAtMs = atMs - written.readAgoMs
  exposure.read({ askedAtMs: readAtMs, venueAtMs: undefined, ...reading })
  const { equity } = reading
  if (equity === undefined) return undefined
  Object.assign(last, { equity, readAtMs })
  const guards = policies.flatMap((policy) => policy.guards.filter(boundsLoss))
  const days = dayStarts(
    guards.map((guard) => ({ guard })),
    readAtMs,
  )
  const mapping = profile.accountPoll?.mapping ?? ""
  return anchored({ readAtMs, equity: written.had ?? equity, mapping }, days)
}

function whichOne(accounts: readonly GuardedAccount[]): string {
  if (accounts.length === 0) return "venue.yaml has no account; add one, or leave this out"
  return `must say by name which account of venue.yaml it is: ${accounts.map(({ name }) => name).join(", ")}`
}
