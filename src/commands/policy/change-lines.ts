import { diff } from "node:util"

import { parseJson } from "../../std/parse-json.ts"
import { visible } from "../../std/visible.ts"
import { yamlText } from "../../std/yaml-text.ts"
import type { FileText } from "../../vault/config/load-files.ts"
import type { Change } from "../../audit/widening.ts"
import { toned } from "../cli/print.ts"

/** Differences between two sets of files as YAML, those that may allow more first; before and after as a diff has them. */
export function changeLines(changes: readonly Change[]): readonly string[] {
  const [wider, others] = [true, false].map((widens) =>
    changes.filter((change) => change.widens === widens),
  )
  return [...(wider ?? []), ...(others ?? [])].flatMap(({ file, where, from, to, widens }) => [
    visible(`${widens ? "WIDENS  " : ""}${file} ${where}`),
    ...signed("-", from),
    ...signed("+", to),
  ])
}

/** A value is JSON, or a sentence. */
function signed(sign: "-" | "+", value: string | null): readonly string[] {
  if (value === null) return []
  const read = parseJson(value)
  return linesOf(read === undefined ? value : yamlText(read)).map((line) => mark(sign, `  ${line}`))
}

/** One line of a text in both sets, or in one of them. */
type Pair = { readonly sign: " " | "-" | "+"; readonly line: string }

/** What is different in the texts, file by file; `width` is given to show them beside each other. */
export function textLines(
  before: readonly FileText[],
  after: readonly FileText[],
  width?: number,
): readonly string[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort()
  return names.flatMap((name) => {
    const [from, to] = [before, after].map((texts) =>
      linesOf(texts.find((each) => each.name === name)?.text ?? ""),
    )
    const pairs = pairsOf(from ?? [], to ?? [])
    if (pairs.every(({ sign }) => sign === " ")) return []
    const hunks = hunksOf(pairs)
    const shown = width === undefined ? hunks.flatMap(unified) : hunks.flatMap(besides(width))
    return ["", visible(name), ...shown]
  })
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.trimEnd().split("\n").map(visible)
}

const signs = { "-1": "+", "0": " ", "1": "-" } as const

function pairsOf(from: readonly string[], to: readonly string[]): readonly Pair[] {
  return diff([...from], [...to]).map(([which, line]) => ({ sign: signs[which], line }))
}

/** So many lines that are alike are shown around what is different. */
const around = 3

/** The parts that are different, each with what is around it. */
function hunksOf(pairs: readonly Pair[]): readonly (readonly Pair[])[] {
  const isNear = pairs.map((_, index) =>
    pairs.slice(Math.max(0, index - around), index + around + 1).some(({ sign }) => sign !== " "),
  )
  const hunks: Pair[][] = []
  for (const [index, pair] of pairs.entries()) {
    if (isNear[index] !== true) continue
    if (isNear[index - 1] === true) hunks.at(-1)?.push(pair)
    else hunks.push([pair])
  }
  return hunks
}

function unified(hunk: readonly Pair[]): readonly string[] {
  return ["@@", ...hunk.map(({ sign, line }) => mark(sign, line))]
}

/** Lines beside each other; a line that doesn't fit its half is never cut: it goes on over the other's. */
function besides(width: number): (hunk: readonly Pair[]) => readonly string[] {
  const half = Math.floor((width - 3) / 2)
  return (hunk) => [
    "@@",
    ...rowsOf(hunk).map(([left = "", right = ""]) => {
      const bar = left === right ? " " : "|"
      return `${left.padEnd(half)} ${bar} ${right}`.trimEnd()
    }),
  ]
}

function rowsOf(hunk: readonly Pair[]): readonly (readonly (string | undefined)[])[] {
  const rows: (readonly (string | undefined)[])[] = []
  let [left, right]: [string[], string[]] = [[], []]
  const flush = (): void => {
    const length = Math.max(left.length, right.length)
    rows.push(...Array.from({ length }, (_, index) => [left[index], right[index]]))
    ;[left, right] = [[], []]
  }
  for (const { sign, line } of hunk) {
    if (sign === "-") left.push(line)
    else if (sign === "+") right.push(line)
    else {
      flush()
      rows.push([line, line])
    }
  }
  flush()
  return rows
}

/** How wide a terminal has to be to show the texts beside each other. */
export function widthBeside(...sets: readonly (readonly FileText[])[]): number {
  const lengths = sets.flat().flatMap(({ text }) => linesOf(text).map(({ length }) => length))
  return 2 * Math.max(...lengths) + 3
}

function mark(sign: Pair["sign"], line: string): string {
  const text = `${sign}${line}`
  if (sign === " ") return text
  return toned(text, sign === "+" ? "good" : "bad")
}
