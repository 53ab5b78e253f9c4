import type { Look } from "../../asks.ts"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { spanWords } from "../words.ts"
import { command } from "./command.ts"

/** What a person granted for a while, and what of it is left; each with the command that ends it. */
export function grantList(
  look: Pick<Look, "grants" | "at"> | undefined,
): TemplateResult | typeof nothing {
  if (look === undefined || look.grants.length === 0) return nothing
  const { grants, at } = look
  return html`<section class="panel holds" aria-labelledby="grants">
    <h2 id="grants">Granted for a while <span class="count">${grants.length}</span></h2>
    <ul>
      ${grants.map(
        ({ id, words, client, key, until }) =>
          html`<li>
            <p><strong>${words}</strong></p>
            <p class="quiet">${client} with ${key}, ends in ${spanWords(until - at)}</p>
            <p class="decide">${command(`countersign held grants --end ${id}`)}</p>
          </li>`,
      )}
    </ul>
  </section>`
}
