import type { ErrorCode, YAMLError } from "yaml"

/** A character that a file can't hold: where it is in the text, and why. */
export type Forbidden = { readonly offset: number; readonly message: string }

/**
 * Finds the first character that YAML 1.2 allows in no file (§5.1), that ends a line for some readers and not for
 * others (§5.4: YAML 1.1 broke lines at NEL, U+2028 and U+2029), or that shows a person another order than is read.
 * In double quotes each can be written as an escape.
 */
export function forbiddenIn(text: string): Forbidden | undefined {
  const found = forbidden.exec(text)
  if (found === null) return undefined
  return { offset: found.index, message: whyForbidden(found[0]) }
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

/** Whether there is nothing in it but comments. A line that only some readers end hides what follows it, so it isn't. */
export function isBlankYaml(text: string): boolean {
  const isBlank = text.split("\n").every((line) => /^\s*(?:#|$)/.test(line))
  return isBlank && forbiddenIn(text) === undefined
}

/** A mistake of syntax in words for people who write files; the parser speaks to programmers. */
export function syntaxMessage({ code, message }: Pick<YAMLError, "code" | "message">): string {
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
