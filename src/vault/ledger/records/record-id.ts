import { randomFillSync } from "node:crypto"

/** Crockford's base32: no I, L, O, U. Its characters sort as their values do. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/**
 * Makes an id: `rec_` and 26 characters, 10 for the time in milliseconds (48 bits) and 16 for 80 random
 * bits. Ids of different milliseconds sort by time.
 */
export function makeRecordId(nowMs: number): RecordId {
  return `rec_${timeAndRandom(nowMs)}`
}

/** Makes a hold's id: `hold_` and 26 characters of the same kind. */
export function makeHoldId(nowMs: number): string {
  return `hold_${timeAndRandom(nowMs)}`
}

/** The milliseconds that an id was made at; `undefined` when it isn't one. */
export function timeOfId(id: string): number | undefined {
  const [, time] = /^(?:rec|hold)_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id) ?? []
  if (time === undefined) return undefined
  return Array.from(time).reduce((value, digit) => value * 32 + alphabet.indexOf(digit), 0)
}

function timeAndRandom(nowMs: number): string {
  return timeText(nowMs, 10) + randomText(16)
}

function timeText(ms: number, length: number): string {
  let text = ""
  for (let rest = ms; text.length < length; rest = Math.floor(rest / 32)) {
    text = `${alphabet[rest % 32] ?? ""}${text}`
  }
  return text
}

/** Random bytes, fetched many at a time: each id is asked for while a bot waits. */
const pool = new Uint8Array(4_096)
let usedBytes = pool.length

function randomText(length: number): string {
  if (usedBytes + length > pool.length) {
    randomFillSync(pool)
    usedBytes = 0
  }
  let text = ""
  for (const byte of pool.subarray(usedBytes, usedBytes + length)) text += alphabet[byte % 32] ?? ""
  usedBytes += length
  return text
}

export type RecordId = string
