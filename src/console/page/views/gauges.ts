import type { Budget, Key, Limit } from "../../asks.ts"
import { html, nothing, svg, type TemplateResult } from "../lib/lit-html.js"
import type { Model } from "../model.ts"
import type { Series } from "../rates.ts"
import { dateWords, groupedDecimal, leftWords, shortHex, shortNumber, spanWords } from "../words.ts"

/** Signatures a second and how long answers took, as numbers and as places for plots of the last five minutes. */
export function trafficPanel(series: Series): TemplateResult {
  const signed = lastOf(series.signedPerSecond)
  const refused = lastOf(series.refusedPerSecond)
  const [p50, p99] = [lastOf(series.p50Ms), lastOf(series.p99Ms)]
  return html`<section class="panel traffic" aria-labelledby="traffic">
    <h2 id="traffic">Last five minutes</h2>
    <figure>
      <figcaption>
        <span class="what">Signatures</span>
        ${figure("first", "signed", words(signed, "/s"))}
        ${figure("second", "refused", words(refused, "/s"))}
      </figcaption>
      <div class="plot" id="plot-rate" role="img" aria-label="Plot of signatures a second"></div>
    </figure>
    <figure>
      <figcaption>
        <span class="what">Signing</span>
        ${figure("first", "p50", words(p50, " ms"))} ${figure("second", "p99", words(p99, " ms"))}
      </figcaption>
      <div
        class="plot"
        id="plot-latency"
        role="img"
        aria-label="Plot of how long signing takes"
      ></div>
    </figure>
  </section>`
}

function figure(line: string, name: string, [number, unit]: Words): TemplateResult {
  return html`<span class="figure ${line}">${name} <strong>${number}</strong>${unit}</span>`
}

type Words = readonly [number: string, unit: string]

function words(value: number | null, unit: string): Words {
  return value === null ? ["–", ""] : [shortNumber(value), unit]
}

function lastOf(line: readonly (number | null)[]): number | null {
  return line.at(-1) ?? null
}

export type Tone = "" | "nearly" | "spent"

type Meter = {
  readonly name: string
  readonly about: string
  readonly used: string
  readonly max: string
  /** Of 1; more where it was overrun. */
  readonly share: number
  /** What is left, in words. */
  readonly left: string
  /** From this share on, only what reduces risk goes through. */
  readonly keptFrom?: number
  readonly shares?: Budget["shares"]
}

/** Limits and rate budgets with what is left of each, the fullest first. */
export function limitsPanel({ look }: Model): TemplateResult {
  const limits = (look?.limits ?? []).map(limitMeter)
  const budgets = (look?.budgets ?? []).map(budgetMeter)
  const meters = [...limits, ...budgets].sort((a, b) => b.share - a.share)
  return html`<section class="panel" aria-labelledby="limits">
    <h2 id="limits">Limits and budgets</h2>
    ${
      meters.length === 0
        ? html`<p class="empty">
            Nothing is counted. Limits of your policies and the venue's rate budgets show up here.
          </p>`
        : html`<ul class="meters">
            ${meters.map(meterItem)}
          </ul>`
    }
  </section>`
}

function limitMeter({ policy, limit, per, for: whose, of, used, max, mode }: Limit): Meter {
  const counted =
    per === "all" ? "counted for all" : `${per} ${per === "account" ? shortHex(whose) : whose}`
  return {
    name: `${policy}/${limit}`,
    about: [counted, of, mode === "observe" ? "only observed" : ""].filter(Boolean).join(", "),
    used: groupedDecimal(used),
    max: groupedDecimal(max),
    share: shareOf(used, max),
    left: leftWords(shareOf(used, max)),
  }
}

function budgetMeter(budget: Budget): Meter {
  const { scope, address, max, used, kept_for_cancels: kept, shares } = budget
  return {
    shares,
    name: scope === "ip" ? "IP budget" : "Address budget",
    about: [
      address === null ? "this host" : shortHex(address),
      "weight of the last minute",
      kept === 0 ? "" : `${groupedDecimal(String(kept))} kept for cancels`,
    ]
      .filter(Boolean)
      .join(", "),
    used: groupedDecimal(String(used)),
    max: groupedDecimal(String(max)),
    share: shareOf(String(used), String(max)),
    left: leftWords(shareOf(String(used), String(max))),
    ...(kept > 0 && max > 0 && { keptFrom: 1 - kept / max }),
  }
}

/** For a picture: that amounts of 40 digits lose some as numbers doesn't show. */
function shareOf(used: string, max: string): number {
  const share = Number(used) / Number(max)
  return Number.isFinite(share) ? share : 1
}

/** Marked from four fifths on, and otherwise where nothing is left. */
export function toneOf(share: number): Tone {
  return share >= 1 ? "spent" : share >= 0.8 ? "nearly" : ""
}

function meterItem(meter: Meter): TemplateResult {
  const { name, about, used, max, share, left, shares = [] } = meter
  return html`<li class="meter ${toneOf(share)}">
    <span class="name">${name}</span>
    <span class="amount"><strong>${used}</strong> of ${max}</span>
    ${bar(meter)}
    <span class="about quiet">${about}</span>
    <span class="left">${left}</span>
    ${shares.length === 0 ? nothing : shareList(shares)}
  </li>`
}

/** What of a budget each client has for itself. */
function shareList(shares: Budget["shares"]): TemplateResult {
  return html`<ul class="shares" aria-label="Shares">
    ${shares.map(({ client, kept, used }) => {
      const [of, all] = [used, kept].map((weight) => groupedDecimal(String(weight)))
      return html`<li><span>${client}</span> ${of} of its ${all}</li>`
    })}
  </ul>`
}

/** Says nothing that the text beside it doesn't say. */
export function bar({ share, keptFrom }: Pick<Meter, "share" | "keptFrom">): TemplateResult {
  return html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="6" />
    ${
      keptFrom === undefined
        ? nothing
        : svg`<rect class="kept" x=${keptFrom * 100} width=${100 - keptFrom * 100} height="6" />`
    }
    <rect class="used" width=${Math.min(share, 1) * 100} height="6" />
  </svg>`
}

const dayMs = 86_400_000

/** Keys with whether they can sign now, and how long their agents' approvals last. */
export function keysPanel({ look }: Model): TemplateResult {
  const keys = look?.keys ?? []
  const nowMs = look?.at ?? 0
  return html`<section class="panel" aria-labelledby="keys">
    <h2 id="keys">Keys</h2>
    ${
      keys.length === 0
        ? html`<p class="empty">No keys yet. <code>countersign keys generate</code> makes one.</p>`
        : html`<table class="keys">
            <caption class="hidden">
              Keys, their approvals and when they signed last
            </caption>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Approval</th>
                <th scope="col">Signed</th>
              </tr>
            </thead>
            <tbody>
              ${keys.map((key) => keyRow(key, nowMs))}
            </tbody>
          </table>`
    }
  </section>`
}

function keyRow(key: Key, nowMs: number): TemplateResult {
  const { name, role, wallet, address, last_used: lastMs } = key
  const { words, tone } = approvalOf(key, nowMs)
  return html`<tr>
    <th scope="row">
      ${name} ${key.locked ? html`<strong class="locked">locked</strong>` : ""}
      <span class="quiet" title=${address}
        >${role}${wallet === null ? "" : ` of ${wallet}`}, ${shortHex(address)}</span
      >
    </th>
    <td
      class=${tone}
      title=${key.expires_at === null ? "" : `Ends on ${dateWords(key.expires_at)}`}
    >
      ${words}
    </td>
    <td>${lastMs === null ? "never" : `${spanWords(nowMs - lastMs)} ago`}</td>
  </tr>`
}

type Approval = { readonly words: string; readonly tone: Tone }

function approvalOf({ role, approval, expires_at: endMs }: Key, nowMs: number): Approval {
  if (role === "wallet") return { words: "needs none", tone: "" }
  if (approval !== "approved") {
    return { words: approval === "unknown" ? "not approved yet" : approval, tone: "nearly" }
  }
  if (endMs === null) return { words: "approved", tone: "" }
  const leftMs = endMs - nowMs
  if (leftMs <= 0) return { words: "has ended", tone: "spent" }
  return {
    words: `${spanWords(leftMs)} left`,
    tone: leftMs < dayMs ? "spent" : leftMs < 7 * dayMs ? "nearly" : "",
  }
}
