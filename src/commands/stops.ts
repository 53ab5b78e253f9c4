import type { PanicView } from "../contract/stop-views.ts"
import type { FreezeView } from "../link/calls/both-ways.ts"
import { Fault } from "../std/fault.ts"
import { visible } from "../std/visible.ts"
import { failureOf, sendAndSettle } from "./agent/send-signed.ts"
import { flag, option, withDefault, type Given } from "./cli/command.ts"
import { tell, toned } from "./cli/print.ts"
import { agreeToShown, type Prompts } from "./cli/terminal.ts"
import type { Admin } from "./installation/admin.ts"
import { adminCommand, yesOption } from "./installation/installation-command.ts"
import { freezeLine, thawing } from "./status/status-lines.ts"

/** What is recorded, and told to bots, where an operator gives no reason. */
const noReason = "an operator's word"

/** `countersign freeze`: nothing is signed from now on but what reduces risk. */
export const freeze = adminCommand({
  changes: "installation",
  description: "stop signing at once, for all, a client or a key, until thaw",
  examples: [
    "countersign freeze",
    "countersign freeze --all --reason 'the feed looks wrong'",
    "countersign freeze --client bot --reason maintenance --no-cancels",
  ],
  options: {
    client: option("--client <name>", "stop this client alone"),
    key: option("--key <name>", "stop this key alone"),
    all: flag("--all", "stop everybody; so does naming neither a client nor a key"),
    reason: option("--reason <words>", "why, for the record and the bots; asked for on a terminal"),
    cancels: flag("--no-cancels", "stop cancels and reduce-only orders too"),
  },
  call: async (admin, { all, reason, cancels, ...options }, { prompts }) => {
    const named = scopeOf(options)
    if (all && named !== undefined) {
      throw new Fault("usage", "Say whom to freeze: --all, --client or --key, one of them.")
    }
    const why = reason ?? (await askReason(prompts))
    return admin.call("freeze", { ...(named ?? everybody), reason: why, cancels })
  },
  print: (frozen) => [freezeLine(frozen)],
})

const everybody = { scope: "all", name: null } as const

/** Nobody at a terminal, or nothing typed, is no reason to go on signing. @throws {Fault} `cancelled` when it is left. */
async function askReason({ canAsk, line }: Prompts): Promise<string> {
  const typed = canAsk()
    ? await line("Why? Bots are told it, and it is recorded; Enter for none")
    : ""
  if (typed === undefined) throw new Fault("cancelled", "Nothing was frozen.")
  return typed.trim() === "" ? noReason : typed.trim()
}

const thawOptions = {
  client: option("--client <name>", "the freeze of this client"),
  key: option("--key <name>", "the freeze of this key"),
  all: flag("--all", "the freeze of everybody; those of single clients and keys stay"),
  everything: flag("--everything", "every freeze there is"),
  ...yesOption,
}

/** `countersign thaw`: the only way out of a freeze, whoever made it. */
export const thaw = adminCommand({
  changes: "installation",
  description: "end a freeze, whoever made it; where there are several, name one",
  notes: "At a terminal it shows what it ends and asks; what was frozen anew by then stays frozen.",
  examples: ["countersign thaw", "countersign thaw --all", "countersign thaw --client bot"],
  options: thawOptions,
  call: async (admin, options, terminal) => {
    const { freezes } = await admin.call("status", {})
    const meant = meantOf(options, freezes)
    if (meant.length === 0) return []
    for (const each of meant) tell(terminal, freezeLine(each))
    await agreeToShown(terminal, { ...options, question: "End it?" })
    return admin.call("thaw", { freezes: [...meant] })
  },
  print: (left) =>
    left.length === 0 ? ["Nothing is frozen."] : ["Still frozen:", ...left.map(freezeLine)],
})

/** @throws {Fault} `usage`, `name_unknown` where nothing of it is frozen. */
function meantOf(
  { all, everything, ...options }: Given<typeof thawOptions>,
  freezes: readonly FreezeView[],
): readonly FreezeView[] {
  const named = scopeOf(options)
  if ([all, everything, named !== undefined].filter(Boolean).length > 1) {
    throw new Fault(
      "usage",
      "Say what to thaw: --all, --client, --key or --everything, one of them.",
    )
  }
  const wanted = all ? everybody : named
  if (!everything && wanted === undefined) return onlyFreeze(freezes)
  const meant = freezes.filter(
    ({ scope, name }) => everything || (scope === wanted?.scope && name === wanted.name),
  )
  if (meant.length > 0) return meant
  throw new Fault("name_unknown", "Nothing of this is frozen; countersign status shows what is.")
}

/** Nothing where there is none. @throws {Fault} `usage` where there are several, with what ends each. */
function onlyFreeze(freezes: readonly FreezeView[]): readonly FreezeView[] {
  if (freezes.length < 2) return freezes
  const lines = freezes.map((each) => `${thawing(each)}\n    ${freezeLine(each)}`)
  const all = "countersign thaw --everything\n    All of these."
  throw new Fault("usage", ["Several freezes stand; say which to end:", ...lines, all].join("\n"))
}

/** `undefined` where neither a client nor a key is named. */
function scopeOf({ client, key }: { client: string | undefined; key: string | undefined }) {
  if (client !== undefined && key !== undefined) {
    throw new Fault("usage", "Name a client or a key, not both.")
  }
  if (client !== undefined) return { scope: "client" as const, name: client }
  return key === undefined ? undefined : { scope: "key" as const, name: key }
}

/** What became of one cancel. `message` says what is known where the venue didn't accept it. */
type PanicResult = {
  readonly operation: string
  readonly key: string | null
  readonly target: string | null
  readonly record: string | null
  readonly outcome: "accepted" | "refused" | "unknown" | "unsent" | "unsigned"
  readonly message: string | null
}

export type PanicReport = {
  /** `null` where this host can't tell others of it. */
  readonly freeze: FreezeView | null
  readonly results: readonly PanicResult[]
  /** Of venue.yaml, without which a panic cancels nothing. */
  readonly add_lines: readonly string[]
}

/** `countersign panic`: ends with 1 unless all is frozen and the venue accepted every cancel that venue.yaml gives. */
export const panic = adminCommand({
  changes: "installation",
  description: "freeze everything and send the cancels that venue.yaml gives under panic",
  examples: ["countersign panic", "countersign panic --reason 'positions look wrong'"],
  options: {
    reason: withDefault(
      option("--reason <words>", "why, for the record and for the bots"),
      noReason,
    ),
  },
  keys: "needed",
  call: async (admin, { reason }): Promise<PanicReport> => {
    const { requests, unsigned, freeze, add_lines } = await admin.call("panic", { reason })
    const sent = await Promise.all(requests.map((request) => send(request, admin)))
    return { freeze, add_lines, results: [...sent, ...unsigned.map(resultOfUnsigned)] }
  },
  print: panicLines,
  exitCode: (report) => (isWhole(report) ? 0 : 1),
})

/** The report for people, what is left to do last. */
function panicLines({ freeze, results, add_lines: lines }: PanicReport): readonly string[] {
  return [
    freeze === null ? notFrozen : freezeLine(freeze),
    ...results.map(({ operation, key, target, outcome, message }) => {
      const who = key === null ? "" : ` by ${key}`
      const whom = target === null ? "" : ` for ${target}`
      const tone = outcome === "accepted" ? "good" : "bad"
      const why = message === null ? "" : `: ${visible(message)}`
      return `${operation}${who}${whom} ${toned(outcome, tone)}${why}`
    }),
    ...unsentLines(results, lines),
    ...(freeze === null ? [] : [untilThawed]),
  ]
}

/** What kept cancels from being signed, and what to do about it. */
function unsentLines(
  results: PanicReport["results"],
  lines: PanicReport["add_lines"],
): readonly string[] {
  const count = results.filter(({ record }) => record !== null).length
  if (count > 0 && lines.length === 0) return []
  const why = results.length === 0 ? ": venue.yaml gives none under panic" : ""
  return [
    count === 0 ? `No cancel was sent${why}.` : "Not every cancel was sent.",
    ...lines.map((line) => `add to venue.yaml: ${line}`),
    lines.length === 0
      ? "See to what is said above, then run it again: countersign panic"
      : "Then run: countersign policy reload, and again: countersign panic",
  ]
}

const notFrozen =
  "Nothing is frozen: this host can't reach PostgreSQL. Run countersign freeze --all on another host."
const untilThawed = "Nothing but what reduces risk is signed until countersign thaw --all."

function isWhole({ freeze, results, add_lines: lines }: PanicReport): boolean {
  return (
    freeze !== null &&
    lines.length === 0 &&
    results.length > 0 &&
    results.every(({ outcome }) => outcome === "accepted")
  )
}

/** What goes wrong with one is told, and stops no other. */
async function send(request: PanicView["requests"][number], admin: Admin): Promise<PanicResult> {
  const { operation, key, target, record } = request
  const about = { operation, key, target, record }
  const what = `${operation} by ${key}`
  try {
    const { sent, outcome } = await sendAndSettle(request, admin, what)
    const kind = outcome.kind === "sent" ? "unknown" : outcome.kind
    if (kind === "accepted") return { ...about, outcome: kind, message: null }
    const { message } = failureOf(sent, outcome, { operation: request, what })
    return { ...about, outcome: kind, message }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ...about, outcome: "unknown", message: error.message }
  }
}

function resultOfUnsigned(unsigned: PanicView["unsigned"][number]): PanicResult {
  const { operation, key, target, message } = unsigned
  return { operation, key, target, record: null, outcome: "unsigned", message }
}
