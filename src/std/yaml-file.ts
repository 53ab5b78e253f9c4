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
  type ErrorCode,
  type YAMLError,
} from "yaml"
import * as z from "zod"

import { nearestWord } from "./nearest-word.ts"
import { err, ok, type Result } from "./result.ts"

/**
 * Finds the first character that YAML 1.2 allows in no file (§5.1), that ends a line for some readers and not for
 * others (§5.4: YAML 1.1 broke lines at NEL, U+2028 and U+2029), or that shows a person another order than is read.
 * In double quotes each can be written as an escape.
 */
function forbiddenIn(text: string) {
  const found = forbidden.exec(text)
  return found === null ? undefined : { offset: found.index, message: whyForbidden(found[0]) }
}

// By code points, so that a surrogate alone is found and a pair isn't.
const forbidden =
  /\r(?!\n)|(?!^)\ufeff|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

function whyForbidden(character: string): string {
  if (character === "\r") {
    return "a carriage return without a line feed ends a line for some readers and not for others; end every line by a line feed"
  }
  if (character === "\ufeff") {
    return "a byte order mark (U+FEFF) can only be a file's first character; remove this one"
  }
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
  if (/[\x85\u2028\u2029]/.test(character)) {
    return `${code} ends a line for some readers and not for others; remove it`
  }
  return /\p{Cf}/u.test(character)
    ? `${code} changes the order in which letters are shown; remove it`
    : `${code} can't be in a YAML file; remove it`
}

/** A text that `parse` accepts; where it returns an error, that is the message. */
export function textBy<Value>(parse: (text: string) => Result<Value, string>) {
  return z.string().transform((text, context) => {
    const read = parse(text)
    if (read.ok) return read.value
    context.addIssue(read.error)
    return z.NEVER
  })
}

/** A text that `parse` accepts; where it returns `undefined`, the error is `message`. */
export function textAs<Value>(parse: (text: string) => Value | undefined, message: string) {
  return textBy((text) => {
    const value = parse(text)
    return value === undefined ? err(message) : ok(value)
  })
}

/** Whether there is nothing in it but comments. A line that only some readers end hides what follows it, so it isn't. */
export function isBlankYaml(text: string): boolean {
  const isBlank = text.split("\n").every((line) => /^\s*(?:#|$)/.test(line))
  return isBlank && forbiddenIn(text) === undefined
}

/** A mistake of syntax in words for people who write files; the parser speaks to programmers. */
function syntaxMessage({ code, message }: Pick<YAMLError, "code" | "message">): string {
  return code === "MISSING_CHAR" ? whatIsMissing(message) : syntaxWords[code]
}

function whatIsMissing(message: string): string {
  if (message.includes("quote")) return "a quote isn't closed; close it, or remove the first"
  if (message.includes("map value")) return "a colon and a value are missing after this key"
  return "a comma, a colon or a space is missing before this"
}

const quoted = "a text that holds a colon with a space, or begins with a sign, must be in quotes"
const noAlias = "anchors and aliases aren't supported; write the value out"
const noTag = "tags aren't supported; remove what begins with !"
const oneLineKey =
  "a key and its colon must be on one line; look for a missing colon or a wrong indent just before"

const syntaxWords: Readonly<Record<Exclude<ErrorCode, "MISSING_CHAR">, string>> = {
  ALIAS_PROPS: noAlias,
  BAD_ALIAS: noAlias,
  BAD_COLLECTION_TYPE: noTag,
  BAD_DIRECTIVE: "this line begins with %, which only YAML's own directives do; remove it",
  BAD_DQ_ESCAPE: "what follows this \\ is no escape; write \\\\, or use single quotes",
  BAD_INDENT: "this isn't indented as its neighbours are, or a bracket before it isn't closed",
  BAD_PROP_ORDER: noAlias,
  BAD_SCALAR_START: quoted,
  BLOCK_AS_IMPLICIT_KEY: `a second key can't begin here; ${quoted}, and each key stands on a line of its own`,
  BLOCK_IN_FLOW:
    "within { } and [ ] no list or key can be written by indent; write it with brackets",
  DUPLICATE_KEY: "this key is there already; put what belongs to it under the first",
  IMPOSSIBLE: "this can't be read; compare it with the lines around",
  KEY_OVER_1024_CHARS: oneLineKey,
  MULTILINE_IMPLICIT_KEY: oneLineKey,
  MULTIPLE_ANCHORS: noAlias,
  MULTIPLE_DOCS: "a file holds one document; remove this one",
  MULTIPLE_TAGS: noTag,
  NON_STRING_KEY: "every key must be a plain word",
  RESOURCE_EXHAUSTION: "this is nested too deeply",
  TAB_AS_INDENT: "indent with spaces, not with tabs",
  TAG_RESOLVE_FAILED: noTag,
  UNEXPECTED_TOKEN: `this can't stand here; ${quoted}, and each key stands on a line of its own, below and not right of "- "`,
}

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

  const report: Report = (node, message) => {
    problems.push({ file, ...placeAt(node.range?.[0] ?? 0), message })
  }
  const { contents } = document
  const plain: unknown = contents === null ? Object.create(null) : toPlain(contents, report)
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
  if (isAlias(node) || node.anchor !== undefined) return noAlias
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
    const above = path.slice(0, length - 1)
    const parent = above.length === 0 ? document.contents : document.getIn(above, true)
    const offset = offsetIn(parent, String(path[length - 1]))
    if (offset !== undefined) return offset
  }
  return document.contents?.range?.[0] ?? 0
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
