import type { HoldView, SymbolsView } from "../../contract/bot-views.ts"
import { utcText } from "../../std/time/time-words.ts"
import { noHold } from "../../vault/ledger/hold-book.ts"
import { expiryWords, heldWords } from "../../words/held-words.ts"
import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import type { Admin } from "../installation/admin.ts"

export const holdId = argument("<id>", "the hold's id, which the bot was told and held list shows")

/** A held request, and what it asks for in words. */
type WordedHold = HoldView & { readonly words: string }

/** `countersign held list` */
export const heldList = adminCommand({
  description: "show the requests that wait for a person, the soonest to expire first",
  examples: ["countersign held list"],
  call: async (admin) => {
    const symbols = await admin.call("listSymbols", {})
    return (await admin.call("listHolds", {})).map((hold) => withWords(hold, symbols))
  },
  print: (holds) =>
    holds.length === 0 ? ["Nothing waits."] : holds.flatMap((hold) => [...holdLines(hold), ""]),
})

export function withWords(hold: HoldView, symbols: SymbolsView): WordedHold {
  return { ...hold, words: heldWords(hold, symbols) }
}

/** A held request with all that a person needs to decide, one fact a line; of a long body its beginning. */
export function holdLines(hold: WordedHold): readonly string[] {
  return [...headLines(hold), ...shortened(bodyLines(hold), hold.id)]
}

function headLines(hold: WordedHold): readonly string[] {
  const isOpen = hold.state === "pending" || hold.state === "released"
  return [
    `${hold.id}  ${hold.state}, ends ${utcText(hold.expires_at)}`,
    `  ${hold.words}${isOpen ? `; ${expiryWords(hold.expires_at - Date.now())}` : ""}`,
    `  ${hold.operation} of client ${hold.client} with key ${hold.key}${hold.target === null ? "" : ` for ${hold.target}`}`,
  ]
}

/** The whole body: each field a line, and each item of a list. */
export function bodyLines({ body }: Pick<HoldView, "body">): readonly string[] {
  const fields = JSON.parse(body) as Record<string, unknown> // our own canonical JSON
  return Object.entries(fields).flatMap(([name, value]) => {
    const field = `    ${shownName(name)}:`
    if (!Array.isArray(value) || value.length === 0) return [`${field} ${shown(value)}`]
    return [field, ...value.map((item, index) => `      ${index + 1}. ${shown(item)}`)]
  })
}

/** So much of a body stands in a list; a bot may send 64 KiB. */
const maxLines = 50
const maxLineLength = 1_000

function shortened(lines: readonly string[], id: string): readonly string[] {
  const short = lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength))
  if (short.join().length === lines.join().length) return lines
  return [...short, `    this isn't all of it; countersign held show ${id} shows the whole`]
}

function shownName(name: string): string {
  return /^\w+$/.test(name) ? name : shown(name)
}

/** As JSON in ASCII: a bot's text must not move the cursor, or look like another text, before who decides. */
function shown(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** `countersign held show ID` */
export const heldShow = adminCommand({
  description: "show the whole of a held request, each order of a batch by itself",
  examples: ["countersign held show hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  options: { id: holdId },
  call: async (admin, { id }) => {
    const hold = await heldNow(id, admin)
    if (hold === undefined) throw noHold()
    return withWords(hold, await admin.call("listSymbols", {}))
  },
  print: (hold) => [...headLines(hold), ...bodyLines(hold)],
})

/** `undefined` where there is no hold with this id, which the vault says better. */
export async function heldNow(
  id: string,
  admin: Pick<Admin, "call">,
): Promise<HoldView | undefined> {
  return (await admin.call("listHolds", {})).find((hold) => hold.id === id)
}
