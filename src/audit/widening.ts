import * as z from "zod"

import { parseDurationMs } from "../std/time/duration.ts"
import { parseYaml } from "../std/yaml-file.ts"
import { compareDecimals, parseDecimal } from "../venue/decimal.ts"
import { allMatchers } from "../vault/policy/match/matchers.ts"
import { isEver, type Policy } from "../vault/policy/terms.ts"

/** One difference between two sets of files, for people. */
export type Change = {
  readonly file: string
  /** `rules/quote/max_quantity`, or a key of another file. */
  readonly where: string
  /** Before and after, in YAML's flow form; `null` if it isn't there. */
  readonly from: string | null
  readonly to: string | null
  /** Whether it may allow something to be signed that wasn't before. True if that isn't sure. */
  readonly widens: boolean
}

type Text = { readonly name: string; readonly text: string }
type Plain = Readonly<Record<string, unknown>>

/** The differences between two sets of configuration files, and which of them widen what may be signed. */
export function changesBetween(before: readonly Text[], after: readonly Text[]): readonly Change[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort()
  return names.flatMap((name) => {
    const [from, to] = [before, after].map((texts) =>
      plainOf(texts.find((text) => text.name === name)),
    )
    return name.includes("/") ? policyChanges(name, from, to) : settingChanges(name, from, to)
  })
}

/** The limits with `window: ever` that count what none did before; that widens where one of those before is gone. */
export function begunAnew(before: readonly Policy[], after: readonly Policy[]): readonly Change[] {
  const [earlier, later] = [endlessIn(before), endlessIn(after)]
  const widens = !earlier.keys().every((definition) => later.has(definition))
  const to = "counts from 0, unless it was in force before"
  return [...later]
    .filter(([definition]) => !earlier.has(definition))
    .map(([, place]) => ({ ...place, from: null, to, widens }))
}

function endlessIn(policies: readonly Policy[]) {
  const limits = policies.flatMap(({ file, limits: all }) => all.map((limit) => ({ file, limit })))
  const endless = limits.filter(({ limit: { window } }) => isEver(window))
  return new Map(
    endless.map(({ file, limit }) => [limit.definition, { file, where: `limits/${limit.name}` }]),
  )
}

function plainOf(file: Text | undefined): Plain {
  if (file === undefined) return {}
  const read = parseYaml(file.text, file.name, z.record(z.string(), z.unknown()))
  return read.ok ? read.value.value : {}
}

/** Settings of venue.yaml and countersign.yaml. Any change may widen: their names don't say which way they work. */
function settingChanges(file: string, from: Plain = {}, to: Plain = {}): readonly Change[] {
  return keysOf(from, to).flatMap((key) =>
    changeOf(file, key, { from: from[key], to: to[key], widens: true }),
  )
}

const lists = ["rules", "deny", "limits", "hold", "guards"] as const
type List = (typeof lists)[number]

function policyChanges(file: string, from: Plain = {}, to: Plain = {}): readonly Change[] {
  const isGone = Object.keys(to).length === 0
  const ofFile = fileKeys.flatMap(([key, narrows]) => {
    const change = { from: from[key], to: to[key] }
    // Whom a file that is gone was for widens nothing: what it denied and limited is told by itself.
    const widens = !(isGone && narrows === never) && !narrows(change.from, change.to)
    return changeOf(file, key, { ...change, widens })
  })
  return [...ofFile, ...lists.flatMap((list) => listChanges(file, list, { from, to }))]
}

function listChanges(
  file: string,
  list: List,
  { from, to }: { readonly from: Plain; readonly to: Plain },
): readonly Change[] {
  const [earlier, later] = [entriesOf(from[list]), entriesOf(to[list])]
  const names = [...new Set([...earlier.keys(), ...later.keys()])]
  return names.flatMap((name) => {
    const [old, now] = [earlier.get(name), later.get(name)]
    const where = `${list}/${name}`
    if (old === undefined || now === undefined) {
      // More rules allow more; more of the others allow less.
      const widens = (list === "rules") === (old === undefined)
      return changeOf(file, where, { from: old, to: now, widens })
    }
    return keysOf(old, now).flatMap((key) => {
      const change = { from: old[key], to: now[key] }
      return changeOf(file, `${where}/${key}`, { ...change, widens: !narrows(list, key, change) })
    })
  })
}

function entriesOf(list: unknown): ReadonlyMap<string, Plain> {
  if (!Array.isArray(list)) return new Map()
  const entries = list.filter(
    (entry): entry is Plain => typeof entry === "object" && entry !== null,
  )
  return new Map(entries.map((entry) => [String(entry["name"]), entry]))
}

type Values = { readonly from: unknown; readonly to: unknown }

/** Whether a change of one key certainly allows no more than before. */
function narrows(list: List, key: string, { from, to }: Values): boolean {
  const known = list === "rules" ? ruleNarrowing.get(key) : otherNarrowing.get(`${list}/${key}`)
  if (known !== undefined) return known(from, to)
  return list === "guards" && key.startsWith("max_open_") && isLess(from, to)
}

type Narrows = (from: unknown, to: unknown) => boolean

const never = (): boolean => false

/** A file's own keys, and whether a change of one certainly allows no more than before. */
const fileKeys: readonly (readonly [string, Narrows])[] = [
  ["policy", () => true],
  ["applies_to", never],
  ["reads", never],
  ["require_idempotency", (_, to) => to === "true"],
  ["repeat_within", isMore],
  ["require_check", isLess],
]

const narrowing = {
  fewer: isFewer,
  more: (from: unknown, to: unknown) => isFewer(to ?? [], from ?? []),
}

/** A rule's keys whose direction is clear. An absent list means "any", an absent bound "no bound". */
const ruleNarrowing: ReadonlyMap<string, Narrows> = new Map([
  ["endpoints", isFewer],
  ...allMatchers.map(
    ([, { key, narrowedBy }]) =>
      [key, narrowedBy === undefined ? never : narrowing[narrowedBy]] as const,
  ),
  ...["max_quantity", "max_notional", "max_slippage", "max_expires_in", "max_valid_days"].map(
    (key) => [key, isLess] as const,
  ),
  ["min_quantity", isMore],
])

const otherNarrowing: ReadonlyMap<string, Narrows> = new Map([
  ["limits/max", isLess],
  // Without it a hold may be granted.
  ["hold/grants", (from) => from !== "false"],
])

/** Whether every word of `to` was in `from`; `undefined` stands for every word there is. */
function isFewer(from: unknown, to: unknown): boolean {
  if (!Array.isArray(to)) return false
  if (from === undefined) return true
  const earlier = Array.isArray(from) ? from.map(flow) : []
  return to.every((word) => earlier.includes(flow(word)))
}

/** Whether an amount or duration isn't more than it was; `undefined` stands for no bound. */
function isLess(from: unknown, to: unknown): boolean {
  if (typeof to !== "string") return false
  if (from === undefined) return true
  if (typeof from !== "string") return false
  const [old, now] = [parseDecimal(from), parseDecimal(to)]
  if (old !== undefined && now !== undefined) return compareDecimals(now, old) <= 0
  const [oldMs, nowMs] = [parseDurationMs(from), parseDurationMs(to)]
  return oldMs !== undefined && nowMs !== undefined && nowMs <= oldMs
}

/** Whether an amount or duration isn't less than it was; `undefined` stands for none at all. */
function isMore(from: unknown, to: unknown): boolean {
  return from === undefined || (to !== undefined && isLess(to, from))
}

function changeOf(
  file: string,
  where: string,
  { from, to, widens }: Values & { readonly widens: boolean },
): readonly Change[] {
  const [old, now] = [flow(from), flow(to)]
  return old === now ? [] : [{ file, where, from: old, to: now, widens }]
}

function keysOf(from: Plain, to: Plain): readonly string[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
}

/** Sorted keys, so that an order that means nothing is no difference. */
function flow(value: unknown): string | null {
  if (value === undefined) return null
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
