import type { GuardUse } from "../contract/bot-views.ts"
import type { StandingLimit } from "../contract/views.ts"
import { Fault } from "../std/fault.ts"
import { parseDurationMs } from "../std/time/duration.ts"
import { agoWords, utcText } from "../std/time/time-words.ts"
import { argument, flag, option, parsed } from "./cli/command.ts"
import { table, type Line } from "./cli/print.ts"
import { confirmDeed } from "./cli/terminal.ts"
import { adminCommand, yesOption } from "./installation/installation-command.ts"

/** `countersign limits show` */
export const limitsShow = adminCommand({
  description: "show what of every limit is used, and what every guard leaves",
  examples: ["countersign limits show"],
  call: async (admin) => ({
    limits: await admin.call("listLimits", {}),
    guards: await admin.call("listGuards", {}),
  }),
  print: ({ limits, guards }) => {
    if (guards.length === 0) return limitsTable(limits)
    return [...limitsTable(limits), "", guardsTable(guards)]
  },
})

function limitsTable(limits: readonly StandingLimit[]): readonly Line[] {
  if (limits.length === 0) return ["No policy has a limit."]
  const rows = limits.map((use) => [
    `${use.policy}/${use.limit}`,
    use.mode,
    [use.for, use.of].filter((part) => part !== "").join(" ") || use.per,
    use.used,
    use.raised_until === null ? use.max : `${use.max} until ${utcText(use.raised_until)}`,
  ])
  return [table(["LIMIT", "MODE", "FOR", "USED", "MAX"], rows)]
}

function guardsTable(guards: readonly GuardUse[]): Line {
  const nowMs = Date.now()
  const rows = guards.map(({ kind, symbol, measure, side, ...use }) => [
    `${use.policy}/${use.guard}`,
    use.account_name,
    [symbol, measure ?? kind, side].filter((part) => part !== null).join(" "),
    ...[use.measured, use.in_flight, use.room].map((amount) => amount ?? "-"),
    use.max ?? "-",
    standWords(use, nowMs),
  ])
  const head = ["GUARD", "ACCOUNT", "OF", "MEASURED", "IN FLIGHT", "ROOM", "MAX", "READING"]
  return table(head, rows)
}

const unknownWords: Readonly<Record<NonNullable<GuardUse["loss_unknown"]>, string>> = {
  no_equity: "no equity read yet",
  reading_old: "too old to tell the loss",
  equity_changed: "loss unknown until: countersign guards anchor",
}

type Standing = Pick<GuardUse, "read_at" | "tripped_at" | "loss_unknown" | "rearmed_until">

function standWords(use: Standing, nowMs: number): string {
  const { read_at, tripped_at, loss_unknown: why, rearmed_until: until } = use
  const read = read_at === null ? "never read" : `read ${agoWords(read_at, nowMs)}`
  const parts = [
    tripped_at === null ? read : `tripped ${agoWords(tripped_at, nowMs)}`,
    why === null || read_at === null ? undefined : unknownWords[why],
    until === null ? undefined : `re-armed until ${utcText(until)}`,
  ]
  return parts.filter((part) => part !== undefined).join(", ")
}

/** `countersign limits raise NAME --to X --for 30m --reason …`, which ends by itself; `--end` ends it before. */
export const limitsRaise = adminCommand({
  changes: "installation",
  description: "give a limit more room for a while, in place of an earlier raise; or end one",
  notes: "It ends by itself. Over ten times what the files allow, or for over 7 days, asks first.",
  examples: [
    "countersign limits raise daily --to 50000 --for 30m --reason 'roll of the hedge'",
    "countersign limits raise daily --end",
  ],
  options: {
    limit: argument("<limit>", "its name, or policy/name"),
    to: option("--to <max>", "its maximum until then"),
    forMs: parsed(
      option("--for <duration>", "how long, like 30m; at most 31d"),
      parseDurationMs,
      "a duration like 30m",
    ),
    reason: option("--reason <words>", "why, for the record"),
    end: flag("--end", "end the raise that stands; what the files say holds again"),
    ...yesOption,
  },
  call: async (admin, { limit, to, forMs, reason, end, yes }, terminal) => {
    if (end) {
      assertAlone([to, forMs, reason])
      return admin.call("endRaise", { limit })
    }
    const raise = { limit, ...allOf({ to, forMs, reason }) }
    const answer = await admin.call("raiseLimit", raise)
    if (!("question" in answer)) return answer
    if (!yes) await confirmDeed(terminal, answer.question)
    const agreed = await admin.call("raiseLimit", { ...raise, agreed: answer.question })
    if (!("question" in agreed)) return agreed
    throw new Fault("usage", "The files in force were changed meanwhile; look and ask again.")
  },
  print: (done) =>
    "limits" in done
      ? done.limits.map((limit) => `${limit} isn't raised any more; what the files say holds.`)
      : [`${done.limit} allows ${done.to} until ${utcText(done.until)}.`],
})

type Given = {
  readonly to: string | undefined
  readonly forMs: number | undefined
  readonly reason: string | undefined
}

function allOf({ to, forMs, reason }: Given) {
  if (to !== undefined && forMs !== undefined && reason !== undefined) return { to, forMs, reason }
  throw new Fault("usage", "A raise takes --to, --for and --reason; --end ends one.")
}

function assertAlone(others: readonly unknown[]): void {
  if (others.every((each) => each === undefined)) return
  throw new Fault("usage", "--end takes no --to, --for or --reason.")
}
