const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long ago a moment was, in one unit: `3 min ago`. A moment to come is `now`. */
export function agoWords(atMs: number, nowMs: number): string {
  return nowMs - atMs < 1_000 ? "now" : `${spanWords(nowMs - atMs)} ago`
}

/** A span in the largest unit that it fills, cut off: `47 h`, `2 d`. Never negative. */
export function spanWords(spanMs: number): string {
  if (spanMs >= 2 * dayMs) return `${Math.floor(spanMs / dayMs)} d`
  if (spanMs >= 2 * hourMs) return `${Math.floor(spanMs / hourMs)} h`
  if (spanMs >= 2 * minuteMs) return `${Math.floor(spanMs / minuteMs)} min`
  return `${Math.max(0, Math.floor(spanMs / 1_000))} s`
}
