import { InvalidArgumentError, Option } from "commander"

import type { KeyView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { option, taken, type Takes } from "../cli/options.ts"
import type { Admin } from "../installation/admin.ts"
import { utcText } from "../../std/time/time-words.ts"

/** For how long an approval is good, and what the venue calls the agent. */
export type TermOptions = {
  readonly validDays: number | undefined
  readonly label: string | undefined
}

/** Of what approves. */
export const termOptions: Takes<TermOptions> = {
  validDays: taken(
    new Option("--valid-days <n>", "for how many days the approval is good, 1 to 90").argParser(
      parseDays,
    ),
  ),
  label: option("--label <label>", "the agent's name at the venue; its name here if left out"),
}

/** Days that had to be given. @throws {Fault} `usage`. */
export function daysOf({ validDays }: Pick<TermOptions, "validDays">): number {
  if (validDays !== undefined) return validDays
  throw new Fault("usage", "For how long? Add --valid-days N, from 1 to 90.")
}

/** The agent key of a name. @throws {Fault} `name_unknown`, `usage`. */
export async function findAgent(admin: Admin, name: string): Promise<KeyView> {
  const key = (await admin.call("listKeys", {})).find((each) => each.name === name)
  if (key?.role === "agent") return key
  if (key !== undefined) throw new Fault("usage", `${name} is a wallet key; name an agent key.`)
  throw new Fault(
    "name_unknown",
    `There is no key named ${name}; countersign agent status shows the agent keys.`,
  )
}

/** What is known of an approval's end, in words. */
export function untilText({ expires_at: expiresAt }: KeyView): string {
  return expiresAt === null ? "for a time not known here" : `until ${utcText(expiresAt)}`
}

function parseDays(text: string): number {
  if (/^([1-9]|[1-8]\d|90)$/.test(text)) return Number(text)
  throw new InvalidArgumentError("Days are a whole number from 1 to 90.")
}
