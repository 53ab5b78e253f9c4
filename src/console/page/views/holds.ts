import type { Hold } from "../../asks.ts"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { repeat } from "../lib/directives/repeat.js"
import { spanWords } from "../words.ts"
import { command } from "./command.ts"

/** Requests that wait for a person, each with the command that lets it pass. */
export function holdList(holds: readonly Hold[], nowMs: number): TemplateResult | typeof nothing {
  if (holds.length === 0) return nothing
  return html`<section class="panel holds" aria-labelledby="holds">
    <h2 id="holds">Waiting for a person <span class="count">${holds.length}</span></h2>
    <ul>
      ${repeat(
        holds,
        ({ id }) => id,
        (hold) => holdItem(hold, nowMs),
      )}
    </ul>
  </section>`
}

function holdItem(hold: Hold, nowMs: number): TemplateResult {
  const { operation, client, key, policy, rule, worst_case: worst, body } = hold
  return html`<li>
    <p>
      <strong>${operation}</strong> of ${client} with ${key}
      <span class="quiet"
        >held by ${policy}/${rule}, ends in ${spanWords(hold.expires_at - nowMs)}</span
      >
    </p>
    <p>At worst: ${worst}</p>
    <p><code class="body">${body}</code></p>
    <p>${command(`countersign held release ${hold.id}`)}</p>
  </li>`
}
