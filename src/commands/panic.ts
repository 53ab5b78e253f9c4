import type { FreezeView } from "../link/calls/both-ways.ts"
import type { PanicView } from "../contract/stop-views.ts"
import { Fault } from "../std/fault.ts"
import { visible } from "../std/visible.ts"
import { failureOf, sendAndSettle } from "./agent/send-signed.ts"
import { toned } from "./cli/print.ts"
import { option, withDefault } from "./cli/options.ts"
import { noReason } from "./freeze.ts"
import { adminCommand } from "./installation/installation-command.ts"
import type { Admin } from "./installation/admin.ts"
import { freezeLine } from "./status/status-lines.ts"

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
    const { requests, unsigned, ...rest } = await admin.call("panic", { reason })
    const sent = await Promise.all(requests.map((request) => send(request, admin)))
    return { ...reportOf(rest), results: [...sent, ...unsigned.map(resultOfUnsigned)] }
  },
  print: panicLines,
  exitCode: (report) => (isWhole(report) ? 0 : 1),
})

/** The report for people, what is left to do last. */
export function panicLines({ freeze, results, add_lines: lines }: PanicReport): readonly string[] {
  return [
    freeze === null ? notFrozen : visible(freezeLine(freeze)),
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

function reportOf({ freeze, add_lines }: Pick<PanicView, "freeze" | "add_lines">) {
  return { freeze, add_lines }
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
