const utcPattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?Z$/

/** Parses an RFC 3339 time in UTC (`2026-11-20T12:00:00Z`) as milliseconds; `undefined` for any other text. */
export function parseUtcMs(text: string): number | undefined {
  const [, seconds] = utcPattern.exec(text) ?? []
  if (seconds === undefined) return undefined
  const ms = Date.parse(text)
  // Some engines move a day that doesn't exist into the next month.
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(seconds)
  return isReal ? ms : undefined
}
