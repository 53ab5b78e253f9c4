const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** How long something lasts, as `std/time/time-words.ts` says it, which no browser can load: `29 d`, `5 h`, `12 min`, `40 s`. */
export function spanWords(ms: number): string {
  if (ms >= 2 * dayMs) return `${Math.floor(ms / dayMs)} d`
  if (ms >= 2 * hourMs) return `${Math.floor(ms / hourMs)} h`
  if (ms >= 2 * minuteMs) return `${Math.floor(ms / minuteMs)} min`
  return `${Math.max(0, Math.floor(ms / 1_000))} s`
}

/** A decimal string with its thousands apart: `1,234,567.5`. */
export function groupedDecimal(decimal: string): string {
  const [whole = "", fraction] = decimal.split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** A number as short as its size allows: `0.42`, `7.1`, `118`. */
export function shortNumber(value: number): string {
  if (value === 0) return "0"
  // What is rounded to 1 or 10 is as short as they are.
  if (value < 0.995) return value.toFixed(2)
  return value < 9.95 ? value.toFixed(1) : groupedDecimal(value.toFixed(0))
}

/** What is left of something of which this share is used: `12 % left`. */
export function leftWords(usedShare: number): string {
  if (usedShare >= 1) return "spent"
  // Of a tenth that is left, as a binary fraction, a bit is missing.
  const percent = Math.floor((1 - usedShare) * 100 + 1e-9)
  return percent === 0 ? "less than 1 % left" : `${percent} % left`
}

/** Words as they begin and end a sentence; a command keeps its small letter. */
export function sentenceOf(words: string): string {
  const isCommand = words.startsWith("countersign")
  return `${isCommand ? words : words.replace(/^./, (first) => first.toUpperCase())}.`
}

/** What is known by its first and last digits: `0x71C7…976F`. */
export function shortHex(hex: string): string {
  return hex.length <= 14 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`
}

/** `14:02:11`, in UTC as all times here. */
export function clockWords(atMs: number): string {
  return isoOf(atMs).slice(11, 19)
}

/** `14:02:11.042` */
export function fineClockWords(atMs: number): string {
  return isoOf(atMs).slice(11, 23)
}

/** `2026-11-20T14:02:11Z`, as `std/time/time-words.ts` says it, which no browser can load. */
export function dateWords(atMs: number): string {
  return `${isoOf(atMs).slice(0, 19)}Z`
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString()
}
