import type { GrantView } from "../../contract/bot-views.ts"
import type { AdminParams } from "../../link/calls/methods.ts"
import { dayMs, durationWithin } from "../../std/time/duration.ts"
import { Fault } from "../../std/fault.ts"
import { spanWords, utcText } from "../../std/time/time-words.ts"
import { endWords, grantWords } from "../../words/grant-words.ts"
import { option, parsed } from "../cli/command.ts"
import { adminCommand } from "../installation/installation-command.ts"

type Grant = NonNullable<AdminParams["decideHold"]["grant"]>

/** What of `held release` lets further requests through. */
export const grantOptions = {
  forMs: parsed(
    option("--for <duration>", "for how long further orders like it are signed too; at most 1d"),
    (text) => durationWithin(text, 1_000, dayMs),
    "a duration of up to 1d, like 30m",
  ),
  times: parsed(
    option("--times <count>", "how many in all, at most 1000"),
    (text) => (/^(?:[1-9]\d{0,2}|1000)$/.test(text) ? Number(text) : undefined),
    "a whole number from 1 to 1000",
  ),
  upTo: option("--up-to <max>", "the sum of the quantities of all of them"),
}

type Given = { readonly [Name in keyof Grant]: Grant[Name] | undefined }

/** All three or none of them. @throws {Fault} `usage` */
export function grantAsked({ forMs, times, upTo }: Given): Grant | undefined {
  if (forMs === undefined && times === undefined && upTo === undefined) return undefined
  if (forMs !== undefined && times !== undefined && upTo !== undefined) {
    return { forMs, times, upTo }
  }
  throw new Fault("usage", "A grant takes --for, --times and --up-to, all three.")
}

/** `3 in all, up to 0.5 together, for 30 min` */
export function grantedWords({ forMs, times, upTo }: Grant): string {
  return `${times} in all, up to ${upTo} together, for ${spanWords(forMs)}`
}

/** `countersign held grants` */
export const heldGrants = adminCommand({
  description: "show what was granted for a while and what of it is left; or end one",
  examples: [
    "countersign held grants",
    "countersign held grants --end hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC",
  ],
  options: {
    end: option("--end <id>", "end this one at once; the hold's id, on which it was given"),
  },
  call: async (admin, { end }) => {
    const symbols = await admin.call("listSymbols", {})
    const grants =
      end === undefined
        ? await admin.call("listGrants", {})
        : [await admin.call("endGrant", { id: end })]
    return grants.map((grant) => ({ ...grant, words: grantWords(grant, symbols) }))
  },
  print: (grants) => (grants.length === 0 ? ["Nothing is granted."] : grants.flatMap(grantLines)),
})

function grantLines(grant: GrantView & { readonly words: string }): readonly string[] {
  const { id, until, ended, words, operation, client, key } = grant
  return [
    `${id}  ${ended === null ? `open, ends ${utcText(until)}` : `ended: ${endWords(ended)}`}`,
    `  ${words}`,
    `  ${operation} of client ${client} with key ${key}`,
    "",
  ]
}
