import type { Alarm, Freeze } from "../../asks.ts"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { type Model, standingOf } from "../model.ts"
import { clockWords, dateWords, sentenceOf, shortHex } from "../words.ts"
import { command } from "./command.ts"

export type StatusActions = {
  readonly freeze: () => void
  readonly endSession: () => void
}

/** The line that tells across a room whether it signs, and what is signed under. */
export function statusBar(model: Model, actions: StatusActions): TemplateResult {
  const { tone, word, sentence } = standingOf(model)
  const isFrozen = model.look?.freezes.some(({ scope }) => scope === "all") === true
  return html`<header class="status">
    <h1 class="brand">Countersign</h1>
    <p class="standing ${tone}">
      <strong id="standing">${word}</strong><span class="sentence">${sentence}</span>
    </p>
    ${facts(model)}
    <div class="actions">
      <button
        class="danger"
        id="freeze"
        aria-disabled=${isFrozen}
        @click=${isFrozen ? undefined : actions.freeze}
      >
        ${isFrozen ? "Frozen" : "Freeze…"}
      </button>
      <button id="end-session" @click=${actions.endSession}>End session</button>
    </div>
  </header>`
}

function facts({ look }: Model): TemplateResult | typeof nothing {
  if (look === undefined) return nothing
  const { network, policy_hash: hash, version, at } = look
  return html`<dl class="facts">
    ${fact("Network", shortHex(network), network)} ${fact("Policy", shortHex(hash), hash)}
    ${fact("Version", version, version)}
    ${fact("Clock", `${clockWords(at)} UTC`, "The vault's clock.")}
  </dl>`
}

function fact(name: string, words: string, title: string): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd title=${title}>${words}</dd>
  </div>`
}

type Shown = TemplateResult | typeof nothing

/** More than these would push away what is watched. */
const openAlarms = 3

/** What somebody should know before anything else: no connection, freezes, alarms. */
export function notices({ connection, look }: Model): TemplateResult {
  const asOf = look === undefined ? "" : ` What you see is as of ${clockWords(look.at)}.`
  // The freeze, the hold and the notice of files themselves say more.
  const alarms = (look?.alarms ?? []).filter(
    ({ name }) => !["frozen", "hold_waits", "files_differ"].includes(name),
  )
  return html`<div class="notices">
    ${
      connection.kind === "lost"
        ? html`<p class="notice unknown" role="alert">
            <strong>No connection.</strong> ${connection.why} The page tries again by itself.${asOf}
          </p>`
        : nothing
    }
    ${
      connection.kind === "away"
        ? html`<p class="notice unknown" role="alert">
            <strong>The vault is away.</strong> ${connection.why} The page goes on by itself when it
            is back.${asOf}
          </p>`
        : nothing
    }
    ${frozen(look?.freezes ?? [])} ${filesDiffer(look)} ${listed(alarms)}
  </div>`
}

function filesDiffer(look: Model["look"]): Shown {
  if (look?.files_differ == null) return nothing
  const { message, fix } = look.files_differ
  return html`<p class="notice unknown" id="files-differ">
    <strong>Files.</strong> ${message} ${command(fix)}
  </p>`
}

function frozen(freezes: readonly Freeze[]): Shown {
  if (freezes.length === 0) return nothing
  return html`<section class="notice stopped" role="alert" aria-labelledby="frozen">
    <h2 id="frozen">Frozen</h2>
    <ul>
      ${freezes.map(
        ({ scope, name, reason, by, since, cancels }) =>
          html`<li>
            <strong>${scope === "all" ? "Everything" : `${scope} ${name ?? ""}`}</strong>: ${reason}
            <span class="quiet"
              >by ${by}, since
              ${dateWords(since)}${cancels ? "; cancels and reduce-only orders stay open" : ""}</span
            >
            ${command(thawCommand({ scope, name }))}
          </li>`,
      )}
    </ul>
    <p>Only a terminal can end ${freezes.length === 1 ? "it" : "them, each by itself"}.</p>
  </section>`
}

function thawCommand({ scope, name }: Pick<Freeze, "scope" | "name">): string {
  return name === null ? "countersign thaw --all" : `countersign thaw --${scope} ${name}`
}

function listed(alarms: readonly Alarm[]): Shown {
  if (alarms.length === 0) return nothing
  const more = alarms.slice(openAlarms)
  return html`<section class="alarms" aria-labelledby="alarms">
    <h2 id="alarms">Alarms <span class="count">${alarms.length}</span></h2>
    <ul>
      ${alarms.slice(0, openAlarms).map(alarmLine)}
    </ul>
    ${
      more.length === 0
        ? nothing
        : html`<details>
            <summary>${more.length} more</summary>
            <ul>
              ${more.map(alarmLine)}
            </ul>
          </details>`
    }
  </section>`
}

function alarmLine({ severity, fact, advice }: Alarm): TemplateResult {
  return html`<li class=${severity}>
    <span class="severity">${severity === "critical" ? "Critical" : "Warning"}</span>
    <span>${fact}. <span class="quiet">${sentenceOf(advice)}</span></span>
  </li>`
}
