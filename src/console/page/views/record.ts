import type { RecordShown } from "../../asks.ts"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { dateWords, groupedDecimal } from "../words.ts"

/** A row that somebody opened, with what is known of its record by now. */
export type Opened = { readonly seq: number; readonly known: Known }
type Known =
  | { readonly kind: "asked" }
  | { readonly kind: "told"; readonly record: RecordShown | null }
  | { readonly kind: "failed"; readonly why: string }

/** A record's id, and the hash of the policies in force now. */
type About = { readonly id: string; readonly policyHash: string | undefined }

/** What was asked, what was made of it and what became of it, below the row of its decision. */
export function recordRow(about: About, { known }: Opened): TemplateResult {
  return html`<tr role="row" class="opened">
    <td role="cell" colspan="5">${detailsOf(about, known)}</td>
  </tr>`
}

function detailsOf(about: About, known: Known): TemplateResult {
  if (known.kind === "asked") return html`<p class="quiet">Reading its record.</p>`
  if (known.kind === "failed") return html`<p class="problem" role="alert">${known.why}</p>`
  const { record } = known
  if (record === null) {
    return html`<p class="quiet">The ledger has it no more: it was archived.</p>`
  }
  const { asked, operation, refusal, idempotency_key: key } = record
  return html`<dl class="record">
    ${asked === null ? nothing : detail("Asked", asked)}
    ${detail("Operation", operation ?? "none that is known")} ${detail("Now", stateWords(record))}
    ${refusal === null ? nothing : detail("Refusal", refusalWords(refusal))}
    ${detail("Verdicts", verdictsOf(record, about))} ${detail("Body", bodyOf(record))}
    ${detail("Signed", signedWords(record))}
    ${key === null ? nothing : detail("Idempotency", html`<code>${key}</code>`)}
    ${detail("Record", html`<code>${about.id}</code>`)} ${detail("Chain", placeWords(record))}
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

function refusalWords({ code, message }: NonNullable<RecordShown["refusal"]>): TemplateResult {
  return html`<code>${code}</code> ${message}`
}

function bodyOf({ body }: RecordShown): TemplateResult {
  return body === null
    ? html`<span class="quiet">That of a refusal isn't recorded.</span>`
    : html`<code>${body}</code>`
}

function signedWords({ nonce, expires_after: expiresMs }: RecordShown): string {
  if (nonce === null) return "no"
  const until = expiresMs === null ? "" : `, good until ${dateWords(expiresMs)}`
  return `nonce ${nonce}${until}`
}

type Verdict = NonNullable<RecordShown["verdicts"]>[number]

/** Of each rule; of those that aren't about it only how many there are. */
function verdictsOf(record: RecordShown, { policyHash }: About): TemplateResult {
  const { verdicts, policy_hash: hash } = record
  const decidedBy = html`<span class="quiet">Decided by the policies <code>${hash}</code>.</span>`
  if (verdicts === null) return decidedBy
  const about = verdicts.filter(({ verdict }) => verdict !== "does_not_match")
  const others = verdicts.length - about.length
  return html`<ul class="verdicts">
      ${about.map(verdictItem)}
      ${others === 0 ? nothing : html`<li class="quiet">${others} other rules don't match</li>`}
    </ul>
    ${
      hash === policyHash
        ? decidedBy
        : html`<span class="changed">These are of the policies in force now.</span> ${decidedBy}`
    }`
}

function verdictItem({ policy, rule, file, line, verdict, reason }: Verdict): TemplateResult {
  return html`<li class=${verdict}>
    ${policy}/${rule} <strong>${verdict}</strong>${
      reason === null ? nothing : html` <code>${reason}</code>`
    }
    <span class="quiet">${file}:${line}</span>
  </li>`
}

function placeWords({ place }: RecordShown): TemplateResult {
  if (place === null) return html`<span class="quiet">The ledger has its entry no more.</span>`
  const [seq, head] = [place.seq, place.head].map((each) => groupedDecimal(String(each)))
  return html`entry ${seq} of ${head}, <code>${place.hash}</code>`
}
