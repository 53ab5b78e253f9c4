// Where in the venue's answers what a reading wants is, as venue.yaml's `account` says it. The vault hands that on as it is.

import * as z from "zod"

import type { AccountRound } from "../../link/calls/gate-methods.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { parseSteps } from "./pointers.ts"

/** Where a value is, by the steps that lead there. Those of an entry lead on from it. */
const steps = z.string().transform((text, context) => {
  const parsed = parseSteps(text)
  if (parsed !== undefined) return parsed
  context.addIssue("expected a JSON Pointer like /data/mark_price")
  return z.NEVER
})

/** What a field of an answer says, as text: a word, a number, true or false. */
const said = z.string().regex(/^[^\p{Cc}]{1,64}$/u, "expected 1 to 64 characters")

/** A list that is read twice counts twice. */
function refuseTwice(
  orders: readonly { readonly path: string; readonly list: readonly string[] }[],
  context: z.RefinementCtx,
): void {
  const names = orders.map(({ path, list }) => JSON.stringify([path, list]))
  const message = "an earlier entry reads this list; an order in both would count twice"
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) context.addIssue({ code: "custom", path: [index], message })
  }
}

const side = z
  .strictObject({ at: steps, buy: said, sell: said })
  .refine(({ buy, sell }) => buy !== sell, "buy and sell can't be the same")

const remaining = z
  .union([steps, z.strictObject({ from: steps, less: steps })], {
    error: "expected a JSON Pointer like /quantity, or {from: /quantity, less: /filled}",
  })
  .transform((given) => ("from" in given ? given : { from: given, less: undefined }))

const sign = z
  .union([z.literal("signed"), z.strictObject({ at: steps, long: said, short: said })], {
    error: "expected signed, or {at: /side, long: long, short: short}",
  })
  .refine(
    (given) => given === "signed" || given.long !== given.short,
    "long and short can't be the same",
  )
  .transform((given) => (given === "signed" ? undefined : given))

/** Of `account`, all that the vault doesn't read. `path`, where `$account` stands for the account's address, it has checked. */
export function accountMapSchema(path: z.ZodType<string, string> = z.string()) {
  const list = { path, list: steps, symbol: steps }
  const orders = z
    .strictObject({
      ...list,
      side,
      remaining,
      price: steps.optional(),
      reduce_only: z.strictObject({ at: steps, is: said }).optional(),
      position_side: steps.optional(),
    })
    .transform(({ reduce_only: reduceOnly, position_side: positionSide, ...each }) => {
      return { ...each, reduceOnly, positionSide }
    })
  const positions = z
    .strictObject({ ...list, quantity: steps, sign, position_side: steps.optional() })
    .transform(({ position_side: positionSide, ...each }) => ({ ...each, positionSide }))
  const equity = z.strictObject({
    path,
    value: steps,
    currency: z.strictObject({ at: steps, is: said }).optional(),
  })
  return z.strictObject({
    orders: z
      .array(orders)
      .min(1, "expected at least one list")
      .max(4, "expected at most 4 lists")
      .superRefine(refuseTwice),
    positions,
    equity: equity.optional(),
  })
}

export type AccountReads = z.output<ReturnType<typeof accountMapSchema>>
/** A list of an account's open orders. Without `reduceOnly` every order counts as one that opens. */
export type OrdersRead = AccountReads["orders"][number]
/** The list of an account's positions. */
export type PositionsRead = AccountReads["positions"]
/** What an account is worth, and where the answer says in what. */
export type EquityRead = NonNullable<AccountReads["equity"]>

/** What is understood of a round's map: all of it, or the sentence of what isn't. */
export function parseAccountMap(map: AccountRound["map"]): Result<AccountReads, string> {
  const parsed = schema.safeParse(map)
  if (parsed.success) return ok(parsed.data)
  const [first] = parsed.error.issues
  return err(`${first?.message} (at ${["account", ...(first?.path ?? [])].map(String).join(".")})`)
}

const schema = accountMapSchema()
