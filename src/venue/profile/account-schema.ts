// The shape of venue.yaml's `account`, as far as the vault goes by it. Rules over several of its values are in account-poll.ts.

import * as z from "zod"

import { durationWithin } from "../../std/time/duration.ts"
import { textAs } from "../../std/yaml-file.ts"
import { addressText, polledPath } from "./text-fields.ts"

export const readPath = polledPath(
  String.raw`\$account`,
  "expected a path such as /v1/trade/open-orders?account_address=$account, where $account stands for the account's address",
).refine(
  (text) => text.includes("$account"),
  "expected $account in the path, which stands for the account's address: whose answer would it be?",
)

/** Where an answer is read. What leads where in it, the gate alone understands: `gate/reads/account-map.ts`. */
const read = z.object({ path: readPath }).catchall(z.json())

const account = z.strictObject({
  address: addressText,
  position_mode: z.enum(["one_way", "hedge"], "expected one_way or hedge").default("one_way"),
})

/** An account that had two names would be read twice. */
function refuseTwice(
  named: Readonly<Record<string, { readonly address: string }>>,
  context: z.RefinementCtx,
): void {
  const nameOf = new Map<string, string>()
  for (const [name, { address }] of Object.entries(named)) {
    const message = `this is the address of ${nameOf.get(address)} too; an account has one name`
    if (nameOf.has(address)) context.addIssue({ code: "custom", path: [name, "address"], message })
    nameOf.set(address, name)
  }
}

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

/** Far more than any reading needs; a frame of the link holds it. */
const maxMapLength = 16_384

export const accountSchema = z
  .object({
    accounts: z
      .record(accountName, account)
      .refine((named) => Object.keys(named).length > 0, "expected at least one account")
      .superRefine(refuseTwice),
    lag: lag.prefault("3s"),
    poll: z
      .strictObject({
        busy: pace(60_000, "expected a duration from 1s to 60s, like 2s").prefault("2s"),
        idle: pace(600_000, "expected a duration from 1s to 10m, like 30s").prefault("30s"),
      })
      .refine(({ busy, idle }) => idle >= busy, {
        path: ["idle"],
        error: "idle is shorter than busy; reading less often is for when nothing happens",
      })
      .prefault({}),
  })
  .catchall(z.union([read, z.array(read)], "expected something to read, with its path, or a list"))
  .transform(({ accounts, lag, poll, ...map }) => ({ accounts, lag, poll, map }))
  .refine(
    ({ map }) => JSON.stringify(map).length <= maxMapLength,
    `what is to be read takes more than ${maxMapLength} characters`,
  )
