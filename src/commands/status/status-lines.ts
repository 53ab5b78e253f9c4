import type { ClientView, RaiseView, RefusalView, StatusView } from "../../contract/views.ts"
import type { KeyView, LimitUse } from "../../contract/bot-views.ts"
import type { FreezeView } from "../../link/calls/both-ways.ts"
import { visible } from "../../std/visible.ts"
import {
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  subtractDecimals,
  wholeDecimal,
  zero,
} from "../../venue/decimal.ts"
import { table, toned, type Line } from "../cli/print.ts"
import { differLines, raiseLines } from "../policy/in-force.ts"
import { separationWords } from "../installation/ask-daemon.ts"
import { fleetWords, type FleetStatus } from "./fleet-status.ts"
import { agoWords, spanWords, utcText } from "../../std/time/time-words.ts"

export type DaemonStatus = StatusView & {
  readonly daemon: "running" | "stopped"
  /** Of several hosts with one ledger; else `null`. */
  readonly fleet: FleetStatus | null
  /** Which limits allow something else than the files say. */
  readonly raises: readonly RaiseView[]
}

/** The state of everything on one screen, for people. */
export function statusLines(status: DaemonStatus, nowMs: number): readonly Line[] {
  const { clients, limits, last_refusals: refusals, files_differ: differ } = status
  const warnings = status.warnings.filter(({ message }) => message !== differ?.message)
  return [
    ...freezeLines(status),
    ...differLines(differ),
    `daemon    ${daemonWords(status)}`,
    ...signingLines(status),
    ...feedLines(status),
    ...splitLines(status),
    ...fleetLines(status),
    `policies  ${status.policy_hash}`,
    ...raiseLines(status.raises),
    `records   ${status.records}`,
    `clients   ${clients.map((client) => clientWords(client, nowMs)).join(", ") || "none"}`,
    "",
    ...keyLines(status, nowMs),
    ...section(limitLines(limits)),
    ...section(holdLines(status)),
    ...section(refusalLines(refusals, nowMs)),
    ...section(warnings.flatMap(({ message, fix }) => saidLines("warning", message, fix))),
  ]
}

/** First of all, since nothing else on the screen explains so much. */
function freezeLines({ freezes }: DaemonStatus): readonly string[] {
  if (freezes.length === 0) return []
  const lines = freezes.flatMap((each) => [
    toned(`FROZEN    ${freezeLine(each)}`, "bad"),
    `          ${thawing(each)} ends it.`,
  ])
  return [...lines, ""]
}

/** What ends this freeze and no other: with several, countersign thaw alone refuses. */
export function thawing({ scope, name }: FreezeView): string {
  return name === null ? "countersign thaw --all" : `countersign thaw --${scope} ${name}`
}

function section(lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [] : ["", ...lines]
}

function daemonWords({ daemon, pid }: DaemonStatus): string {
  if (daemon === "stopped") return `${toned("stopped", "bad")}; this was read from its ledger`
  return `${toned("running", "good")}; the vault's pid is ${pid}`
}

/** Told one by one; `--json` has them all. */
const maxReasons = 10

/** What it signs, in the vault's words, and each reason why not more with what to do about it. */
function signingLines({ state: { signs, words, reasons } }: DaemonStatus): readonly Line[] {
  const partly = reasons.length === 0 ? "good" : "doubtful"
  const more = reasons.length - maxReasons
  return [
    `signing   ${toned(visible(words), signs === "nothing" ? "bad" : partly)}`,
    ...reasons.slice(0, maxReasons).flatMap((each) => saidLines(each.code, each.message, each.fix)),
    ...(more > 0 ? [`and ${more} more; countersign status --json has them`] : []),
  ]
}

/** Of prices that still size orders, and of accounts that guards have read: what stops orders next. */
const feedAlarms: readonly string[] = [
  "price_ageing",
  "price_held_back",
  "price_drift",
  "account_unread",
  "account_contradiction",
  "guard_tripped",
]

function feedLines({ alarms }: DaemonStatus): readonly Line[] {
  const told = alarms.filter(({ name }) => feedAlarms.includes(name)).slice(0, maxReasons)
  return told.flatMap(({ name, fact, advice }) => saidLines(name, `${fact}.`, advice))
}

function saidLines(what: string, message: string, fix: string): readonly Line[] {
  return [`${toned(what, "doubtful")}: ${visible(message)}`, `  fix: ${visible(fix)}`]
}

function splitLines({ started_by: startedBy }: DaemonStatus): readonly string[] {
  return startedBy === null ? [] : [`split     ${separationWords(startedBy)}`]
}

function fleetLines({ fleet }: DaemonStatus): readonly Line[] {
  if (fleet === null) return []
  const isWhole = fleet.others.every(({ connected }) => connected === true)
  return [`fleet     ${toned(visible(fleetWords(fleet)), isWhole ? "good" : "doubtful")}`]
}

/** With what isn't as usual of its token. */
function clientWords(
  { name, revoked, expired, expires_at: expiresAtMs }: ClientView,
  nowMs: number,
): string {
  if (revoked) return `${name} (revoked)`
  if (expired) return `${name} (${toned("expired", "bad")})`
  return expiresAtMs === null ? name : `${name} (${leftTone(expiresAtMs - nowMs)} left)`
}

function keyLines({ keys, daemon }: DaemonStatus, nowMs: number): readonly Line[] {
  if (keys.length === 0)
    return ["No keys yet; countersign keys generate or countersign keys import makes one."]
  const rows = keys.map((key) => [
    key.name,
    key.role,
    key.address,
    standingWords(key, daemon),
    leftWords(key, nowMs),
    key.last_used === null ? "never" : agoWords(key.last_used, nowMs),
  ])
  return [table(["KEY", "ROLE", "ADDRESS", "APPROVAL", "LEFT", "LAST USED"], rows)]
}

const approvalTones = {
  unknown: "doubtful",
  approved: "good",
  revoked: "bad",
  retired: "bad",
  removed: "bad",
} as const

/** A wallet key needs no approval; in a command that opened no keys, all would be locked. */
function standingWords(
  { role, approval, locked }: KeyView,
  daemon: DaemonStatus["daemon"],
): string {
  const tone = approvalTones[approval]
  const words = [
    ...(role === "wallet" && approval === "unknown" ? [] : [toned(approval, tone)]),
    ...(locked && daemon === "running" && tone !== "bad" ? ["locked"] : []),
  ]
  return words.join(", ") || "-"
}

/** Less than this before its end, an approval's or a token's days are shown as doubtful. */
const scarceMs = 7 * 86_400_000

function leftWords({ approval, expires_at: endsAtMs }: KeyView, nowMs: number): string {
  if (approval !== "approved" || endsAtMs === null) return "-"
  const leftMs = endsAtMs - nowMs
  if (leftMs <= 0) return toned("ended", "bad")
  return leftTone(leftMs)
}

function leftTone(leftMs: number): string {
  return toned(spanWords(leftMs), leftMs < scarceMs ? "doubtful" : "good")
}

/** The limits that have least left; `countersign limits show` has them all. */
const maxLimits = 8
/** No more are told. */
const maxTold = 100

function limitLines(limits: readonly LimitUse[]): readonly Line[] {
  if (limits.length === 0) return []
  const sorted = limits.map(amountsOf).sort(byShare)
  const rows = sorted
    .slice(0, maxLimits)
    .map(({ use, left, isScarce }) => [
      `${use.policy}/${use.limit}${use.mode === "observe" ? " (observed)" : ""}`,
      [use.for, use.of].filter((part) => part !== "").join(" ") || use.per,
      use.used,
      use.max,
      toned(formatDecimal(left), isScarce ? "doubtful" : "good"),
    ])
  const more = limits.length < maxTold ? limits.length - rows.length : "many"
  return [
    table(["LIMIT", "FOR", "USED", "MAX", "LEFT"], rows),
    ...(more === 0 ? [] : [`and ${more} more; countersign limits show lists them`]),
  ]
}

type Amounts = ReturnType<typeof amountsOf>

/** Amounts come as decimals that the vault wrote. */
function amountsOf(use: LimitUse) {
  const used = parseDecimal(use.used) ?? zero
  const max = parseDecimal(use.max) ?? zero
  const left = compareDecimals(used, max) < 0 ? subtractDecimals(max, used) : zero
  const fiveTimes = multiplyDecimals(left, wholeDecimal(5n))
  return { use, used, max, left, isScarce: compareDecimals(fiveTimes, max) < 0 }
}

/** What is used of `b` as a share of its maximum, against `a`'s: used/max compared crosswise, without division. */
function byShare(a: Amounts, b: Amounts): number {
  return compareDecimals(multiplyDecimals(b.used, a.max), multiplyDecimals(a.used, b.max))
}

function holdLines({ holds }: DaemonStatus): readonly Line[] {
  if (holds.length === 0) return []
  return [`${toned("WAITING", "doubtful")} for a person: countersign held list shows what`]
}

function refusalLines(refusals: readonly RefusalView[], nowMs: number): readonly Line[] {
  if (refusals.length === 0) return []
  const alike = Map.groupBy(refusals, (each) =>
    JSON.stringify([each.client, each.code, whyWords(each)]),
  )
  const rows = [...alike.values()].flatMap(([last, ...earlier]) => {
    if (last === undefined) return []
    const times = [last, ...earlier].reduce((sum, each) => sum + each.times, 0)
    const code = times > 1 ? `${last.code} ×${times}` : last.code
    return [[agoWords(last.at, nowMs), last.client, code, visible(whyWords(last))]]
  })
  return [table(["REFUSED", "CLIENT", "CODE", "WHY"], rows)]
}

function whyWords({ reason, by, message }: RefusalView): string {
  return [reason, by].filter((part) => part !== null).join(" by ") || message
}

/** A freeze in one line, for people. */
export function freezeLine({ scope, name, by, reason, cancels, since }: FreezeView): string {
  const what = name === null ? "Everything" : `The ${scope} ${name}`
  const open = cancels ? "cancels and reduce-only orders stay open" : "cancels too"
  return visible(`${what} is frozen since ${utcText(since)} by ${by} (${open}): ${reason}`)
}
