import type { Decision } from "../../asks.ts"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { repeat } from "../lib/directives/repeat.js"
import { isNo, type Model } from "../model.ts"
import { fineClockWords, groupedDecimal } from "../words.ts"
import { recordRow, type Opened } from "./record.ts"

/** How the list is looked at. */
export type DecisionsShown = {
  /** As it was when somebody paused it; `undefined` while it moves. */
  readonly paused: Model | undefined
  readonly onlyNoes: boolean
  /** The row that somebody opened. */
  readonly opened: Opened | undefined
}

export type DecisionsActions = {
  readonly pause: () => void
  readonly onlyNoes: () => void
  /** Opens a row, or closes it. */
  readonly open: (row: Decision) => void
}

/** Decisions as they fall, the newest first. */
export function decisionsTable(
  model: Model,
  shown: DecisionsShown,
  actions: DecisionsActions,
): TemplateResult {
  const { paused, onlyNoes } = shown
  const from = paused ?? model
  const rows = onlyNoes ? from.noes : from.decisions
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
        ${paused === undefined ? "Pause" : `Resume, ${groupedDecimal(String(recordedIn(model) - recordedIn(paused)))} new`}
      </button>
    </div>
    ${rows.length === 0 ? empty(onlyNoes) : table(rows, shown, actions)}
    ${from.missed === 0 ? nothing : missedLine(from.missed)}
  </section>`
}

function recordedIn({ look }: Model): number {
  return look?.recorded ?? 0
}

function totals({ look }: Model): TemplateResult | typeof nothing {
  if (look === undefined) return nothing
  const { allowed, refused, held } = look.decided
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
function table(
  rows: readonly Decision[],
  { opened }: DecisionsShown,
  { open }: DecisionsActions,
): TemplateResult {
  const rowOf = (row: Decision): TemplateResult =>
    decisionRow(row, opened?.seq === row.seq ? opened : undefined, open)
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

/** A click anywhere on it opens it; for the keyboard it has a button. */
function decisionRow(
  row: Decision,
  opened: Opened | undefined,
  open: DecisionsActions["open"],
): TemplateResult {
  const { at, result, operation, client, key, by, times } = row
  return html`<tr role="row" class=${result} @click=${() => open(row)}>
      <td role="cell" class="time">${fineClockWords(at)}</td>
      <td role="cell" class="result">
        <span aria-hidden="true">${marks[result]}</span> ${result}
        ${times === 1 ? nothing : html`<span class="times">× ${groupedDecimal(String(times))}</span>`}
      </td>
      <td role="cell" class="request">
        <button class="open" aria-expanded=${opened === undefined ? "false" : "true"}>
          ${operation ?? "couldn't be read"}
        </button>
        ${isNo(row) ? reasonOf(row) : nothing}
      </td>
      <td role="cell" class="client">${client}${key === null ? "" : ` · ${key}`}</td>
      <td role="cell" class="by">${by ?? "–"}</td>
    </tr>
    ${opened === undefined ? nothing : recordRow(row.record, opened)}`
}

function reasonOf({ reason, message }: Decision): TemplateResult {
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
