// The shape of venue.yaml's `account`. Rules over several of its values are in account-poll.ts.

import * as z from "zod"

import { durationWithin } from "../../std/time/duration.ts"
import { textAs } from "../../std/yaml-file.ts"
import { addressText, polledPath, steps } from "./text-fields.ts"

const path = polledPath(
  String.raw`\$account`,
  "expected a path such as /v1/trade/open-orders?account_address=$account, where $account stands for the account's address",
).refine(
  (text) => text.includes("$account"),
  "expected $account in the path, which stands for the account's address: whose answer would it be?",
)

/** What a field of an answer says, as text: a word, a number, true or false. */
const said = z.string().regex(/^[^\p{Cc}]{1,64}$/u, "expected 1 to 64 characters")

const remaining = z
  .union([steps, z.strictObject({ from: steps, less: steps })], {
    error: "expected a JSON Pointer like /quantity, or {from: /quantity, less: /filled}",
  })
  .transform((given) => ("from" in given ? given : { from: given, less: undefined }))

const orders = z.strictObject({
  path,
  list: steps,
  symbol: steps,
  side: z
    .strictObject({ at: steps, buy: said, sell: said })
    .refine(({ buy, sell }) => buy !== sell, "buy and sell can't be the same"),
  remaining,
  price: steps.optional(),
  reduce_only: z.strictObject({ at: steps, is: said }).optional(),
  position_side: steps.optional(),
})

const sign = z
  .union([z.literal("signed"), z.strictObject({ at: steps, long: said, short: said })], {
    error: "expected signed, or {at: /side, long: long, short: short}",
  })
  .refine(
    (given) => given === "signed" || given.long !== given.short,
    "long and short can't be the same",
  )

const positions = z.strictObject({
  path,
  list: steps,
  symbol: steps,
  quantity: steps,
  sign,
  position_side: steps.optional(),
})

const account = z.strictObject({
  address: addressText,
  position_mode: z.enum(["one_way", "hedge"], "expected one_way or hedge").default("one_way"),
})

/** `0ms` of a venue that shows at once what it did. */
const lag = textAs(
  (text) => (text === "0ms" ? 0 : durationWithin(text, 1, 60_000)),
  "expected a duration from 0ms to 60s, like 3s",
)

function pace(mostMs: number, message: string) {
  return textAs((text) => durationWithin(text, 1_000, mostMs), message)
}

const accountName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected a name of lower case letters, digits, ., _ and -")

export const accountSchema = z.strictObject({
  accounts: z
    .record(accountName, account)
    .refine((named) => Object.keys(named).length > 0, "expected at least one account"),
  lag: lag.prefault("3s"),
  poll: z
    .strictObject({
      busy: pace(60_000, "expected a duration from 1s to 60s, like 2s").prefault("2s"),
      idle: pace(600_000, "expected a duration from 1s to 10m, like 30s").prefault("30s"),
    })
    .prefault({}),
  orders: z.array(orders).min(1, "expected at least one list").max(4, "expected at most 4 lists"),
  positions,
})
