import type { RecordShown } from "../../asks.ts"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"

/** A row that somebody opened, with what is known of its record by now. */
export type Opened = { readonly seq: number; readonly known: Known }
type Known =
  | { readonly kind: "asked" }
  | { readonly kind: "told"; readonly record: RecordShown | null }
  | { readonly kind: "failed"; readonly why: string }

/** What was asked and what became of it, below the row of its decision. */
export function recordRow(id: string, { known }: Opened): TemplateResult {
  return html`<tr role="row" class="opened">
    <td role="cell" colspan="5">${detailsOf(id, known)}</td>
  </tr>`
}

function detailsOf(id: string, known: Known): TemplateResult {
  if (known.kind === "asked") return html`<p class="quiet">Reading its record.</p>`
  if (known.kind === "failed") return html`<p class="problem" role="alert">${known.why}</p>`
  const { record } = known
  if (record === null) {
    return html`<p class="quiet">The ledger has it no more: it was archived.</p>`
  }
  return html`<dl class="record">
    ${record.asked === null ? nothing : detail("Asked", record.asked)}
    ${detail("Now", stateWords(record))} ${detail("Record", html`<code>${id}</code>`)}
    ${detail(
      "Body",
      record.body === null
        ? html`<span class="quiet">That of a refusal isn't recorded.</span>`
        : html`<code>${record.body}</code>`,
    )}
  </dl>`
}

function detail(name: string, value: string | TemplateResult): TemplateResult {
  return html`<dt>${name}</dt>
    <dd>${value}</dd>`
}

const states: Readonly<Record<string, string>> = {
  refused_here: "refused here",
  signed: "signed",
  sent: "sent, not answered yet",
  accepted: "accepted by the venue",
  refused: "refused by the venue",
  unknown: "unknown: it may have arrived",
  expired_unresolved: "expired, and nothing was heard of it",
}

function stateWords({ state, outcome }: RecordShown): string {
  const { status = null, code = null } = outcome ?? {}
  const said = [status === null ? "" : `status ${status}`, code === null ? "" : `code ${code}`]
  return [states[state] ?? state, ...said].filter((part) => part !== "").join(", ")
}
