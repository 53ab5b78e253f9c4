import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type YAMLMap,
} from "yaml"
import * as z from "zod"

import { nearestWord } from "./nearest-word.ts"
import { err, ok, type Result } from "./result.ts"
import { forbiddenIn, syntaxMessage } from "./yaml-text.ts"

/** A problem in a configuration file, and its place. Lines and columns count from 1. */
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
 * Parses YAML and checks it against `schema`. YAML's `failsafe` schema keeps every scalar as the string in the
 * file, so `1.10` doesn't become 1.1. Anchors, aliases, tags and characters that others read or show differently are
 * refused: what a reader sees is what is loaded. An empty file is an empty object. Returns all problems at once, or the
 * first such character alone.
 */
export function parseYaml<Value>(
  text: string,
  file: string,
  schema: z.ZodType<Value>,
): Result<Located<Value>, readonly Problem[]> {
  const unreadable = forbiddenIn(text)
  if (unreadable !== undefined)
    return err([{ file, ...placeIn(text, unreadable.offset), message: unreadable.message }])
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
  const problems: Problem[] = [...document.errors, ...document.warnings].map((error) => ({
    file,
    ...placeAt(error.pos[0]),
    message: syntaxMessage(error),
  }))
  if (problems.length > 0) return err(problems)

  const plain = readContents(document.contents, (node, message) => {
    problems.push({ file, ...placeAt(node.range?.[0] ?? 0), message })
  })
  if (problems.length > 0) return err(problems)

  const placeOf = (path: YamlPath): Place => placeAt(offsetOf(document, path))
  const parsed = schema.safeParse(plain, { error: knownKeys })
  if (parsed.success) return ok({ value: parsed.data, placeOf })
  return err(parsed.error.issues.flatMap((issue) => problemsOf(issue, file, placeOf)))
}

/** Where `offset` is in a text that isn't parsed. */
function placeIn(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

type Report = (node: Node, message: string) => void

function readContents(contents: Node | null, report: Report): unknown {
  return contents === null ? Object.create(null) : toPlain(contents, report)
}

/** Makes objects without prototypes. Reports what a configuration file can't have. */
function toPlain(node: unknown, report: Report): unknown {
  if (!isNode(node)) return undefined
  const message = whyRefused(node)
  if (message !== undefined) report(node, message)
  else if (isScalar(node)) return node.value
  else if (isSeq(node)) return node.items.map((item) => toPlain(item, report))
  else if (isMap(node)) return plainObject(node, report)
  return undefined
}

function whyRefused(node: Node): string | undefined {
  if (isAlias(node) || node.anchor !== undefined) {
    return "anchors and aliases aren't supported; write the value out"
  }
  if (node.tag !== undefined) return `the tag ${node.tag} isn't supported; remove it`
  // As UTF-8 it would become another text, with that text's hash.
  const isHalf = isScalar(node) && typeof node.value === "string" && !node.value.isWellFormed()
  return isHalf ? "this text holds half a character (a lone surrogate); fix the escape" : undefined
}

function plainObject(map: YAMLMap, report: Report): unknown {
  const plain = Object.create(null) as Record<string, unknown>
  for (const { key, value } of map.items) {
    const name = isNode(key) ? keyName(key, report) : undefined
    if (!isNode(key)) report(map, "every key must be a plain word")
    else if (name !== undefined && value === null) {
      report(key, `"${name}" has no value; write one, or remove it`)
    } else if (name !== undefined) plain[name] = toPlain(value, report)
  }
  return plain
}

function keyName(key: Node, report: Report): string | undefined {
  const message = whyKeyRefused(key)
  if (message !== undefined) report(key, message)
  return message === undefined && isScalar(key) ? String(key.value) : undefined
}

function whyKeyRefused(key: Node): string | undefined {
  if (!isScalar(key) || typeof key.value !== "string") return "every key must be a plain word"
  if (forbiddenKeys.has(key.value)) return `"${key.value}" can't be a key`
  return whyRefused(key)
}

/** The offset of the value at `path`: of its key in a map, else of the value itself. */
function offsetOf(document: Document, path: YamlPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent = nodeAt(document, path.slice(0, length - 1))
    const offset = offsetIn(parent, String(path[length - 1]))
    if (offset !== undefined) return offset
  }
  return document.contents?.range?.[0] ?? 0
}

function nodeAt(document: Document, path: YamlPath): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true)
}

function offsetIn(parent: unknown, step: string): number | undefined {
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && key.value === step)
    return isNode(pair?.key) ? pair.key.range?.[0] : undefined
  }
  const item = isSeq(parent) ? parent.items[Number(step)] : undefined
  return isNode(item) ? item.range?.[0] : undefined
}

/** Of an object with unknown keys, those that it may have: what {@link problemsOf} finds as the issue's message. */
const knownKeys: z.core.$ZodErrorMap = ({ code, inst }) =>
  code === "unrecognized_keys" && inst instanceof z.ZodObject
    ? Object.keys(inst.shape).join(" ")
    : undefined

/** One problem for each refused key, so that each has its own line. */
function problemsOf(
  issue: z.core.$ZodIssue,
  file: string,
  placeOf: (path: YamlPath) => Place,
): readonly Problem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      file,
      ...placeOf([...issue.path, key]),
      message: `unknown key "${key}"${meant(key, issue.message)}${within(issue.path)}`,
    }))
  }
  return [{ file, ...placeOf(issue.path), message: `${issue.message}${within(issue.path)}` }]
}

function meant(key: string, known: string): string {
  const nearest = nearestWord(key, known.split(" "))
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`
}

function within(path: YamlPath): string {
  return path.length === 0 ? "" : ` (at ${path.map(String).join(".")})`
}

/** `file:line:column: message`, which editors can follow. */
export function problemText(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`
}
