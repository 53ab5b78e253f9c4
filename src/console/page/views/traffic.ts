import { html, type TemplateResult } from "../lib/lit-html.js"
import type { Series } from "../rates.ts"
import { shortNumber } from "../words.ts"

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
