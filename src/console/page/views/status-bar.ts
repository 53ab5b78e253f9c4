import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { standingOf, type Model } from "../model.ts"
import { clockWords, shortHex } from "../words.ts"

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
