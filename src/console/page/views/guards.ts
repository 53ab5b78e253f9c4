import type { Guard } from "../../asks.ts"
import { guardName, isOfLoss, lineMs, type LossPoint } from "../equity-lines.ts"
import { html, nothing, svg, type TemplateResult } from "../lib/lit-html.js"
import type { Model } from "../model.ts"
import { groupedDecimal, spanWords } from "../words.ts"
import { bar, type Tone, toneOf } from "./gauges.ts"

/** What each guard leaves of each account, the fullest first; nothing where there are no guards. */
export function guardsPanel({ look, losses }: Model): TemplateResult | undefined {
  const [guards, nowMs] = [look?.guards ?? [], look?.at ?? 0]
  if (guards.length === 0) return undefined
  const fullest = guards.toSorted((one, other) => usedShare(other) - usedShare(one))
  return html`<section class="panel" aria-labelledby="guards">
    <h2 id="guards">Guards</h2>
    <ul class="meters">
      ${fullest.map((guard) => guardItem(guard, nowMs, losses.get(guardName(guard)) ?? []))}
    </ul>
  </section>`
}

function guardItem(guard: Guard, nowMs: number, points: readonly LossPoint[]): TemplateResult {
  const { measured, max, in_flight: inFlight } = guard
  const share = usedShare(guard)
  const flying = inFlight === null ? "" : `${groupedDecimal(inFlight)} in flight`
  const about = [boundWords(guard), flying, readWords(guard, nowMs)].filter(Boolean)
  return html`<li class="meter ${toneOfGuard(guard)}">
    <span class="name">${guardName(guard)}</span>
    <span class="amount"><strong>${amount(measured)}</strong> of ${amount(max)}</span>
    ${bar({ share })}
    <span class="about quiet">${about.join(", ")}</span>
    <span class="left">${roomWords(guard, nowMs)}</span>
    ${isOfLoss(guard) && points.length > 1 ? equityLine(points, nowMs) : nothing}
  </li>`
}

function toneOfGuard(guard: Guard): Tone {
  const isUnknown = guard.room === null || guard.loss_unknown !== null
  if (guard.tripped_at !== null) return "spent"
  return isUnknown ? "nearly" : toneOf(usedShare(guard))
}

/** For a picture: what is measured and in flight, of 1. What can't be told comes first. */
function usedShare({ room, max, tripped_at: tripped }: Guard): number {
  const share = room === null || max === null ? NaN : 1 - Number(room) / Number(max)
  return tripped === null && Number.isFinite(share) ? share : 1
}

function amount(decimal: string | null): string {
  return decimal === null ? "–" : groupedDecimal(decimal)
}

/** `BTC-PERP net long`; `daily loss`. */
function boundWords({ symbol, measure, side, kind }: Guard): string {
  const words = [symbol, measure ?? kind.replace(/^max_/, "").replaceAll("_", " "), side]
  return words.filter((word) => word !== null).join(" ")
}

function readWords({ read_at: readMs }: Guard, nowMs: number): string {
  return readMs === null ? "never read" : `read ${spanWords(nowMs - readMs)} ago`
}

const unknownWords = {
  no_equity: "no equity read yet",
  reading_old: "reading too old",
  equity_changed: "to be anchored",
} as const

function roomWords({ room, tripped_at, loss_unknown: why }: Guard, nowMs: number): string {
  if (tripped_at !== null) return `tripped ${spanWords(nowMs - tripped_at)} ago`
  if (why !== null) return unknownWords[why]
  if (room === null) return "unknown"
  return Number(room) === 0 ? "no room" : `room for ${groupedDecimal(room)}`
}

const height = 24

/** Equity over the last day: at the top nothing is lost, at the bottom all that the guard allows. */
function equityLine(points: readonly LossPoint[], nowMs: number): TemplateResult {
  const places = points.map(({ atMs, share }) => {
    const x = 100 * (1 - (nowMs - atMs) / lineMs)
    return `${x.toFixed(2)},${(height * Math.min(share, 1)).toFixed(2)}`
  })
  return html`<svg
    class="equity"
    viewBox="0 0 100 ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="Equity over the last day, since this page was opened"
  >
    ${svg`<polyline points=${places.join(" ")} />`}
  </svg>`
}
