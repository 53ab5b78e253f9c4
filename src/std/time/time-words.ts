const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A moment as all that is for people tells it, in UTC: `2026-11-28T14:02:11Z`. */
export function utcText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

/** How far from now a moment is, in one unit: `3 min ago`, `now`, `in 29 d`. */
export function agoWords(atMs: number, nowMs: number): string {
  const agoMs = nowMs - atMs
  if (Math.abs(agoMs) < 1_000) return "now"
  return agoMs > 0 ? `${spanWords(agoMs)} ago` : `in ${spanWords(-agoMs)}`
}

/** A span in the largest unit that it fills twice, cut off: `47 h`, `2 d`. Never negative. */
export function spanWords(spanMs: number): string {
  if (spanMs >= 2 * dayMs) return `${Math.floor(spanMs / dayMs)} d`
  if (spanMs >= 2 * hourMs) return `${Math.floor(spanMs / hourMs)} h`
  if (spanMs >= 2 * minuteMs) return `${Math.floor(spanMs / minuteMs)} min`
  return `${Math.max(0, Math.floor(spanMs / 1_000))} s`
}
