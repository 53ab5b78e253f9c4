const unitBytes = { KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 } as const
const sizePattern = /^([1-9]\d{0,6})(KiB|MiB|GiB)$/

/** A pebibyte: larger than any disk here, and an exact number. */
const maxBytes = 2 ** 50

/** Parses `64KiB`, `256MiB`, `1GiB`, and `0`, as bytes; `undefined` when `text` isn't a size up to 1 PiB. */
export function parseSizeBytes(text: string): number | undefined {
  if (text === "0") return 0
  const [, count, unit] = sizePattern.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  const bytes = Number(count) * unitBytes[unit as keyof typeof unitBytes] // the pattern admits these units alone
  return bytes <= maxBytes ? bytes : undefined
}

/** A size for people, `120 MiB`. Rounded down, so that it never promises room that isn't there. */
export function sizeText(bytes: number): string {
  if (bytes < unitBytes.MiB) return `${Math.floor(bytes / unitBytes.KiB)} KiB`
  const mebibytes = Math.floor(bytes / unitBytes.MiB)
  return mebibytes < 10_240 ? `${mebibytes} MiB` : `${Math.floor(bytes / unitBytes.GiB)} GiB`
}
