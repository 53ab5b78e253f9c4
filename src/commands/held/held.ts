import type { LedgerReader } from "../../audit/open-ledger.ts"
import { aboutEntry, entriesAfter } from "../../audit/read-entries.ts"
import { fieldsOf } from "../../audit/stored-entry.ts"
import type { HoldView, SymbolsView, CheckReport } from "../../contract/bot-views.ts"
import { utcText } from "../../std/time/time-words.ts"
import { visible } from "../../std/visible.ts"
import { noHold } from "../../vault/ledger/hold-book.ts"
import { builtinEndpoints } from "../../venue/builtin-profile.ts"
import { expiryWords, heldWords, heldLine } from "../../words/held-words.ts"
import { argument } from "../cli/command.ts"
import { tell } from "../cli/print.ts"
import { agreeToShown } from "../cli/terminal.ts"
import { adminCommand, yesOption } from "../installation/installation-command.ts"
import type { Admin } from "../installation/admin.ts"
import { grantAsked, grantedWords, grantOptions } from "./grants.ts"

const holdId = argument("<id>", "the hold's id, which the bot was told and held list shows")

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

function withWords(hold: HoldView, symbols: SymbolsView): WordedHold {
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

/** `countersign held release ID`: the very same request is then signed once, when the bot sends it again. */
export const heldRelease = adminCommand({
  changes: "installation",
  description: "let a held request be signed once",
  notes: `
It is judged anew when the bot sends it. What it asks for, what has changed since it was held, and what stands in its way
now is told first, and at a terminal asked about.

With --for, --times and --up-to it is granted for a while: further single orders that differ from it in price, quantity and
client_order_id alone are signed without a person too, itself among them. held grants shows what is left, and ends it.`,
  examples: [
    "countersign held release hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC",
    "countersign held release hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC --for 30m --times 3 --up-to 0.5",
  ],
  options: { id: holdId, ...grantOptions, ...yesOption },
  call: async (admin, options, terminal) => {
    const { id, yes } = options
    const grant = grantAsked(options)
    const hold = await heldNow(id, admin)
    const { policy_hash, ...symbols } = await admin.call("listSymbols", {})
    // It can't be taken back. It is shown as it is released, with what has changed since it was held.
    if (hold?.state === "pending") {
      const warnings = await sinceHeld(hold, admin)
      for (const warning of warnings) tell(terminal, `warning: ${warning}`)
      const verb = warnings.length === 0 ? "Release it" : "Release it all the same"
      const more = grant === undefined ? "" : `, and others like it (${grantedWords(grant)})`
      const question = `${verb}${more}: ${heldLine(hold, symbols, Date.now())}?`
      await agreeToShown(terminal, { yes, question })
    }
    const word = { id, decision: "released", policy_hash } as const
    const released = await admin.call("decideHold", grant === undefined ? word : { ...word, grant })
    return withWords(released, symbols)
  },
  print: holdLines,
})

/** `countersign held refuse ID` */
export const heldRefuse = adminCommand({
  changes: "installation",
  description: "end a held request",
  examples: ["countersign held refuse hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  options: { id: holdId },
  call: async (admin, { id }) => {
    const { policy_hash, ...symbols } = await admin.call("listSymbols", {})
    const hold = await admin.call("decideHold", { id, decision: "refused", policy_hash })
    return withWords(hold, symbols)
  },
  print: holdLines,
})

/**
 * What whoever releases a request should know of what came after it: that its policy or its key is another than when it was
 * held, that its client's token has expired, and what it would be answered now. Each is a sentence. A release is judged as
 * all stands when it is used.
 */
export async function sinceHeld(
  hold: HoldView,
  admin: Pick<Admin, "call" | "readLedger">,
): Promise<readonly string[]> {
  const changes = await admin.readLedger((ledger) => changesSince(hold, ledger))
  return [...changes, ...(await tokenNow(hold, admin)), ...(await judgedNow(hold, admin))]
}

/** Judging takes no token, and the bot's next call does. */
async function tokenNow(
  { client: name }: HoldView,
  admin: Pick<Admin, "call">,
): Promise<readonly string[]> {
  const clients = await admin.call("listClients", {})
  const isExpired = clients.some((client) => client.name === name && client.expired)
  if (!isExpired) return []
  return [
    `The token of ${name} has expired, so it is signed only once countersign clients renew ${name} gives it more time.`,
  ]
}

/** Acts that change a key, by the field of their row that names it. */
const keyActs: Readonly<Record<string, "name" | "from" | undefined>> = {
  key_targets_set: "name",
  key_removed: "name",
  key_replaced: "from",
  agent_approved: "name",
  agent_revoked: "name",
}

function changesSince(hold: HoldView, ledger: LedgerReader): readonly string[] {
  const about = aboutEntry(ledger, hold.id)
  if (about === undefined) {
    return ["It was held so long ago that what has changed since isn't known."]
  }
  const said = new Set<string>()
  for (const { row } of entriesAfter(ledger, about.entry.seq, { kind: "act" })) {
    const { act, ...fields } = fieldsOf(row)
    if (act === "set_activated") said.add("The policies have changed since it was held.")
    const name = fields[keyActs[String(act)] ?? ""]
    if (name === hold.key) said.add(`The key ${hold.key} has changed since it was held.`)
  }
  return [...said]
}

/** What stands in its way now besides a person; nothing where that is all. */
async function judgedNow(hold: HoldView, admin: Pick<Admin, "call">): Promise<readonly string[]> {
  const report = await explained(hold, admin)
  if (report?.refusal === undefined) return []
  const { refusal } = report
  if (refusal === null) return ["By the policies of now it is signed without a release."]
  const isHeld = refusal.code === "approval_required"
  if (!isHeld)
    return [`As all stands now it would be refused all the same: ${visible(refusal.message)}`]
  return refusal.message.includes(`(${hold.policy}/${hold.rule},`)
    ? []
    : [`By the policies of now another entry holds it: ${visible(refusal.message)}`]
}

async function explained(
  { client, key, operation, body, target }: HoldView,
  admin: Pick<Admin, "call">,
): Promise<CheckReport | undefined> {
  const path = builtinEndpoints.find(({ id }) => id === operation)?.path
  if (path === undefined) return undefined
  const whole =
    target === null ? body : JSON.stringify({ ...JSON.parse(body), target_address: target })
  return admin.call("explain", { client, key, path, body: Buffer.from(whole).toString("base64") })
}
