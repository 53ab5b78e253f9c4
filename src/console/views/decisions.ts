import type { DecisionView } from "../../link/console-views.ts"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { repeat } from "../lib/directives/repeat.js"
import { isNo, type Model } from "../model.ts"
import { fineClockWords, groupedDecimal } from "../words.ts"

/** How the list is looked at. */
export type DecisionsShown = {
  /** As it was when somebody paused it; `undefined` while it moves. */
  readonly paused: Model | undefined
  readonly onlyNoes: boolean
}

export type DecisionsActions = {
  readonly pause: () => void
  readonly onlyNoes: () => void
}

/** Decisions as they fall, the newest first. */
export function decisionsTable(
  model: Model,
  { paused, onlyNoes }: DecisionsShown,
  actions: DecisionsActions,
): TemplateResult {
  const from = paused ?? model
  const rows = onlyNoes ? from.noes : from.decisions
  const waiting = model.lastSeq - from.lastSeq
  return html`<section class="panel decisions" aria-labelledby="decisions">
    <div class="panel-head">
      <h2 id="decisions">Decisions</h2>
      ${totals(model)}
      <label class="toggle"
        ><input type="checkbox" .checked=${onlyNoes} @change=${actions.onlyNoes} /> Only refused and
        held</label
      >
      <button
        id="pause"
        aria-pressed=${paused === undefined ? "false" : "true"}
        @click=${actions.pause}
      >
        ${paused === undefined ? "Pause" : `Resume, ${groupedDecimal(String(waiting))} new`}
      </button>
    </div>
    ${rows.length === 0 ? empty(onlyNoes) : table(rows)}
    ${from.missed === 0 ? nothing : missedLine(from.missed)}
  </section>`
}

function totals({ state }: Model): TemplateResult | typeof nothing {
  if (state === undefined) return nothing
  const { allowed, refused, held } = state.decided
  const [yes, no, waits] = [allowed, refused, held].map((count) => groupedDecimal(String(count)))
  return html`<p class="totals">
    ${yes} allowed, ${no} refused, ${waits} held <span class="quiet">since it started</span>
  </p>`
}

function empty(onlyNoes: boolean): TemplateResult {
  return onlyNoes
    ? html`<p class="empty">
        Nothing was refused or held of late. What is shows up here with its reason.
      </p>`
    : html`<p class="empty">
        No decisions yet. Orders that bots post to <code>/sign/v1/…</code> or
        <code>/v1/…</code> show up here.
      </p>`
}

// The roles are the elements' own; on a phone the rows are laid out as blocks, which would take them away.
function table(rows: readonly DecisionView[]): TemplateResult {
  return html`<div
    class="scroll"
    role="region"
    aria-label="Decisions, the newest first"
    tabindex="0"
  >
    <table role="table">
      <caption class="hidden">
        The last ${rows.length} decisions, the newest first
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Time</th>
          <th role="columnheader" scope="col">Decision</th>
          <th role="columnheader" scope="col">Request</th>
          <th role="columnheader" scope="col">Client and key</th>
          <th role="columnheader" scope="col">Decided by</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(rows, ({ seq }) => seq, rowOf)}
      </tbody>
    </table>
  </div>`
}

const marks = { allowed: "✓", refused: "✕", held: "…" } as const

function rowOf(row: DecisionView): TemplateResult {
  const { at, result, asked, operation, client, key, by, record } = row
  return html`<tr role="row" class=${result}>
    <td role="cell" class="time">${fineClockWords(at)}</td>
    <td role="cell" class="result"><span aria-hidden="true">${marks[result]}</span> ${result}</td>
    <td role="cell" class="request">
      ${asked ?? operation ?? "couldn't be read"} ${isNo(row) ? reasonOf(row) : nothing}
    </td>
    <td role="cell" class="client">${client}${key === null ? "" : ` · ${key}`}</td>
    <td role="cell" class="by" title="Record ${record}">${by ?? "–"}</td>
  </tr>`
}

function reasonOf({ reason, message }: DecisionView): TemplateResult {
  // Policy's sentences begin with the reason, which stands before them here.
  const rest = message?.replace(`Refused by policy: ${reason ?? ""} `, "")
  return html`<span class="why"><code class="reason">${reason}</code> ${rest}</span>`
}

function missedLine(missed: number): TemplateResult {
  return html`<p class="foot quiet">
    ${groupedDecimal(String(missed))} came too fast to be listed here;
    <code>countersign audit tail</code> has them all.
  </p>`
}
