import type { Decision } from "../../asks.ts"
import {
  choicesOf,
  type Filter,
  type FilterPart,
  filterParts,
  matching,
  isNo,
  type Model,
  timesOf,
} from "../model.ts"
import { repeat } from "../lib/directives/repeat.js"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { fineClockWords, groupedDecimal } from "../words.ts"
import { type Opened, recordRow } from "./record.ts"

/** How the list is looked at. */
export type DecisionsShown = {
  /** As it was when somebody paused it; `undefined` while it moves. */
  readonly paused: Model | undefined
  readonly onlyNoes: boolean
  readonly filter: Filter
  /** The row that somebody opened. */
  readonly opened: Opened | undefined
}

export type DecisionsActions = FilterActions & {
  readonly pause: () => void
  readonly onlyNoes: () => void
  /** Opens a row, or closes it. */
  readonly open: (row: Decision) => void
}

/** Rows that are shown. */
const maxRows = 200

/** Decisions as they fall, the newest first. */
export function decisionsTable(
  model: Model,
  shown: DecisionsShown,
  actions: DecisionsActions,
): TemplateResult {
  const { paused, onlyNoes, filter } = shown
  const from = paused ?? model
  const all = onlyNoes ? from.noes : from.decisions
  const rows = matching(all, filter).slice(0, maxRows)
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
        ${paused === undefined ? "Pause" : `Resume, ${newSince(paused, model)} new`}
      </button>
    </div>
    ${filterBar([...from.noes, ...from.decisions], filter, actions)}
    ${rows.length === 0 ? empty(onlyNoes, all.length > 0) : table(rows, from, { shown, actions })}
    ${from.skipped === 0 ? nothing : skippedLine(from.skipped)}
  </section>`
}

function newSince(paused: Model, now: Model): string {
  // The vault counts from nought again once it was started anew.
  return groupedDecimal(String(Math.max(0, decidedIn(now) - decidedIn(paused))))
}

function decidedIn({ look }: Model): number {
  const { allowed = 0, refused = 0, held = 0 } = look?.decided ?? {}
  return allowed + refused + held
}

function totals({ look }: Model): TemplateResult | typeof nothing {
  if (look === undefined) return nothing
  const { allowed, refused, held } = look.decided
  const [yes, no, waits] = [allowed, refused, held].map((count) => groupedDecimal(String(count)))
  return html`<p class="totals">
    ${yes} allowed, ${no} refused, ${waits} held <span class="quiet">since it started</span>
  </p>`
}

function empty(onlyNoes: boolean, isFiltered: boolean): TemplateResult {
  if (isFiltered) {
    return html`<p class="empty">
      Nothing that is kept here fits the filter. <code>countersign audit tail</code> with
      <code>--client</code> or <code>--key</code> reads the whole ledger.
    </p>`
  }
  return onlyNoes
    ? html`<p class="empty">
        Nothing was refused or held of late. What is shows up here with its reason.
      </p>`
    : html`<p class="empty">
        No decisions yet. Orders that bots post to <code>/sign/v1/…</code> or
        <code>/v1/…</code> show up here.
      </p>`
}

type Use = { readonly shown: DecisionsShown; readonly actions: DecisionsActions }

// The roles are the elements' own; on a phone the rows are laid out as blocks, which would take them away.
function table(rows: readonly Decision[], model: Model, { shown, actions }: Use): TemplateResult {
  const rowOf = (row: Decision): TemplateResult => {
    const opened = shown.opened?.seq === row.seq ? shown.opened : undefined
    return html`${decisionRow(row, { times: timesOf(row, model), opened, open: actions.open })}
    ${opened === undefined ? nothing : recordRow({ id: row.record, policyHash: model.look?.policy_hash }, opened)}`
  }
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
          <th role="columnheader" scope="col">Time, UTC</th>
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

type RowShown = {
  /** How often it came. */
  readonly times: number
  readonly opened: Opened | undefined
  readonly open: DecisionsActions["open"]
}

/** A click anywhere on it opens it; for the keyboard it has a button. */
function decisionRow(row: Decision, { times, opened, open }: RowShown): TemplateResult {
  const { at, result, client, key, by, is_paper: isPaper } = row
  return html`<tr
    role="row"
    class=${isPaper ? `${result} paper` : result}
    @click=${() => open(row)}
  >
    <td role="cell" class="time">${fineClockWords(at)}</td>
    <td role="cell" class="result">
      <span aria-hidden="true">${marks[result]}</span> ${result}
      ${times === 1 ? nothing : html`<span class="times">× ${groupedDecimal(String(times))}</span>`}
    </td>
    <td role="cell" class="request">${requestOf(row, opened !== undefined)}</td>
    <td role="cell" class="client">
      ${isPaper ? "PAPER · " : ""}${client}${key === null ? "" : ` · ${key}`}
    </td>
    <td role="cell" class="by">${by ?? "–"}</td>
  </tr>`
}

/** What was asked, where that is recorded, else the operation alone; and why it wasn't signed. */
function requestOf(row: Decision, isOpen: boolean): TemplateResult {
  const { operation, asked } = row
  return html`<button class="open" aria-expanded=${isOpen ? "true" : "false"}>
      ${asked ?? operation ?? "couldn't be read"}
    </button>
    ${isNo(row) ? reasonOf(row) : nothing}`
}

function reasonOf({ reason, message }: Decision): TemplateResult {
  // Policy's sentences begin with the reason, which stands before them here.
  const rest = message?.replace(`Refused by policy: ${reason ?? ""} `, "")
  return html`<span class="why"><code class="reason">${reason}</code> ${rest}</span>`
}

function skippedLine(entries: number): TemplateResult {
  return html`<p class="foot quiet">
    ${groupedDecimal(String(entries))} entries of the ledger came too fast to be read here;
    <code>countersign audit tail</code> has them all.
  </p>`
}

type FilterActions = {
  /** Chooses by a part; by all of its values where none is given. */
  readonly filter: (part: FilterPart, value: string | undefined) => void
}

const names = { client: "Client", key: "Key", symbol: "Symbol", code: "Code" } as const

/** Choices of what the list shows, from what there is of each. */
function filterBar(
  decisions: readonly Decision[],
  filter: Filter,
  actions: FilterActions,
): TemplateResult {
  return html`<div class="filters" role="group" aria-label="Filter">
    ${filterParts.map((part) => choice(part, { filter, actions, decisions }))}
  </div>`
}

type Shown = {
  readonly decisions: readonly Decision[]
  readonly filter: Filter
  readonly actions: FilterActions
}

/** What of a list of choices tells which is chosen. */
type Chosen = { readonly value: string }

function choice(part: FilterPart, { decisions, filter, actions }: Shown): TemplateResult {
  const chosen = filter[part]
  const choose = ({ currentTarget }: Event): void => {
    const { value } = currentTarget as unknown as Chosen
    actions.filter(part, value === "" ? undefined : value)
  }
  return html`<label
    >${names[part]}
    <select class=${chosen === undefined ? "" : "chosen"} @change=${choose}>
      <option value="" .selected=${chosen === undefined}>all</option>
      ${choicesOf(decisions, part, chosen).map(
        (value) => html`<option value=${value} .selected=${value === chosen}>${value}</option>`,
      )}
    </select></label
  >`
}
