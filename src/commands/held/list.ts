import type { HoldView, SymbolsView } from "../../link/views/views.ts"
import { expiryWords, heldWords } from "../../words/held-words.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** A held request, and what it asks for in words. */
export type WordedHold = HoldView & { readonly words: string }

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

/** A held request with all that a person needs to decide, one fact a line. */
export function holdLines(hold: WordedHold): readonly string[] {
  const body = JSON.parse(hold.body) as Record<string, unknown> // our own canonical JSON
  const isOpen = hold.state === "pending" || hold.state === "released"
  return [
    `${hold.id}  ${hold.state}, ends ${new Date(hold.expires_at).toISOString()}`,
    `  ${hold.words}${isOpen ? `; ${expiryWords(hold.expires_at - Date.now())}` : ""}`,
    `  ${hold.operation} of client ${hold.client} with key ${hold.key}${hold.target === null ? "" : ` for ${hold.target}`}`,
    ...shortened(
      Object.entries(body).map(([name, value]) => `    ${shownName(name)}: ${shown(value)}`),
    ),
  ]
}

/** A body's lines that a person can read; a bot may send 64 KiB. */
const maxLines = 50
const maxLineLength = 1_000

function shortened(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength))
  if (shown.join().length === lines.join().length) return lines
  return [...shown, "    … this isn't all of it; countersign held list --json shows the whole"]
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
