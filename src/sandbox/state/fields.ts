import { reject, type Rejection } from "./error-codes.ts"

/** A parsed JSON object. Fields are read through this file's checks. */
export type Body = Readonly<Record<string, unknown>>

/** Tells what a value should have been, or `undefined` when it is all right. */
export type Check = (value: unknown) => string | undefined
export type FieldTable = Readonly<Record<string, Check>>

const addressPattern = /^0x[0-9a-fA-F]{40}$/
// 40 digits are the sandbox's own bound; the interface shows no precision.
const decimalPattern = /^\d{1,40}(\.\d{1,40})?$/

/** Whether the body has the field, even with the value null. */
export function has(body: Body, name: string): boolean {
  return Object.hasOwn(body, name)
}

/** Checks every field of `table` that is there. */
export function checkFields(body: Body, table: FieldTable): Rejection | undefined {
  for (const [name, check] of Object.entries(table)) {
    const expected = has(body, name) ? check(body[name]) : undefined
    if (expected !== undefined) return reject("invalid_field", `${name} must be ${expected}.`).error
  }
  return undefined
}

/** Names the first field that is missing. */
export function checkRequired(body: Body, names: readonly string[]): Rejection | undefined {
  const missing = names.find((name) => !has(body, name))
  return missing === undefined
    ? undefined
    : reject("missing_field", `${missing} is required here.`).error
}

/** Any string. */
export const text: Check = (value) => (typeof value === "string" ? undefined : "a string")

/** A boolean. */
export const flag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false")

/** An address in any case: the interface asks for no checksum. */
export const address: Check = (value) =>
  typeof value === "string" && addressPattern.test(value) ? undefined : "0x and 40 hex digits"

/** A price or quantity: a JSON string. That it must be above zero is the sandbox's own. */
export const amount: Check = (value) =>
  typeof value === "string" && decimalPattern.test(value) && /[1-9]/.test(value)
    ? undefined
    : "a decimal string above zero"

/** An integer from `min` to `max`, both included. */
export function integer(min: number, max: number): Check {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `an integer from ${min} to ${max}`
}

/** A string of at most `max` characters, counted as code points. */
export function textUpTo(max: number): Check {
  return (value) =>
    typeof value === "string" && Array.from(value).length <= max
      ? undefined
      : `a string of at most ${max} characters`
}

/** One of a few words. */
export function oneOf(...words: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && words.includes(value) ? undefined : `one of ${words.join(", ")}`
}

/** An array of which each item passes `check`. */
export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return "an array"
    const expected = value.map((item: unknown) => check(item)).find((wrong) => wrong !== undefined)
    return expected === undefined ? undefined : `an array of which each item is ${expected}`
  }
}

/** A JSON object. */
export const object: Check = (value) => (isBody(value) ? undefined : "an object")

/** Whether a parsed JSON value is an object. */
export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
