import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
} from "yaml"
import type { z } from "zod"

import { err, ok, type Result } from "./result.ts"

/** Something wrong in a configuration file, with the place to mend. Lines and columns count from 1. */
export type Problem = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
}

export type YamlPath = readonly PropertyKey[]
export type Place = { readonly line: number; readonly column: number }

/** A parsed file together with where each of its values is written. */
export type Located<Value> = {
  readonly value: Value
  /** The place of the value at `path`, or of the nearest one above it. */
  readonly placeOf: (path: YamlPath) => Place
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"])

/**
 * Reads YAML with the `failsafe` schema (every scalar stays the string that is written, so that no
 * `1.10` becomes 1.1) and checks it against `schema`. Anchors, aliases and tags are refused: what a
 * reader sees is what is loaded. All problems are told at once.
 */
export function readYaml<Value>(
  text: string,
  file: string,
  schema: z.ZodType<Value>,
): Result<Located<Value>, readonly Problem[]> {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    schema: "failsafe",
    lineCounter: lines,
    prettyErrors: false,
  })
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const syntax = [...document.errors, ...document.warnings].map((error) => ({
    file,
    ...placeAt(error.pos[0]),
    message: error.message,
  }))
  if (syntax.length > 0) return err(syntax)

  const strange: Problem[] = []
  const plain = toPlain(document.contents, (node, message) => {
    strange.push({ file, ...placeAt(node.range?.[0] ?? 0), message })
  })
  if (strange.length > 0) return err(strange)

  const placeOf = (path: YamlPath): Place => placeAt(offsetOf(document, path))
  const parsed = schema.safeParse(plain)
  if (!parsed.success) {
    return err(parsed.error.issues.flatMap((issue) => problemsOf(issue, file, placeOf)))
  }
  return ok({ value: parsed.data, placeOf })
}

/** Makes objects without prototypes; reports what failsafe YAML shouldn't hold through `report`. */
function toPlain(node: Node | null, report: (node: Node, message: string) => void): unknown {
  if (node === null) return Object.create(null)
  if (isAlias(node) || node.anchor !== undefined) {
    report(node, "anchors and aliases aren't supported; write the value out")
    return undefined
  }
  if (node.tag?.startsWith("!") === true) {
    report(node, `the tag ${node.tag} isn't supported; remove it`)
    return undefined
  }
  if (isScalar(node)) return node.value
  if (isSeq(node)) return node.items.map((item) => toPlain(item as Node, report))
  if (!isMap(node)) return undefined

  const plain = Object.create(null) as Record<string, unknown>
  for (const pair of node.items) {
    if (!isPair(pair) || !isScalar(pair.key) || typeof pair.key.value !== "string") {
      report(node, "every key must be a plain word")
    } else if (forbiddenKeys.has(pair.key.value)) {
      report(pair.key, `"${pair.key.value}" can't be a key`)
    } else {
      plain[pair.key.value] = toPlain(pair.value as Node | null, report)
    }
  }
  return plain
}

/** Where the value at `path` starts; for a key that is refused itself, where the key starts. */
function offsetOf(document: Document, path: YamlPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const last = path[length - 1]
    if (isMap(parent)) {
      const key = parent.items.find(
        (pair) => isScalar(pair.key) && pair.key.value === String(last),
      )?.key
      if (isScalar(key)) return key.range?.[0] ?? 0
    }
    if (isSeq(parent)) {
      const item = parent.items[Number(last)] as Node | undefined
      if (item?.range) return item.range[0]
    }
  }
  return (document.contents as Node | null)?.range?.[0] ?? 0
}

/** One problem a refused key, so that each is told at its own line. */
function problemsOf(
  issue: z.core.$ZodIssue,
  file: string,
  placeOf: (path: YamlPath) => Place,
): readonly Problem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      file,
      ...placeOf([...issue.path, key]),
      message: `unknown key "${key}"${within(issue.path)}`,
    }))
  }
  return [{ file, ...placeOf(issue.path), message: `${issue.message}${within(issue.path)}` }]
}

function within(path: YamlPath): string {
  return path.length === 0 ? "" : ` (at ${path.map(String).join(".")})`
}

/** `file:line:column: message`, the form that editors and people follow. */
export function problemText(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`
}
