import type { Hold, HoldDecision, Look } from "../../asks.ts"
import { repeat } from "../lib/directives/repeat.js"
import { html, nothing, type TemplateResult } from "../lib/lit-html.js"
import { spanWords } from "../words.ts"
import { command } from "./command.ts"

/** Opens the question whether a held request is released, or refused. */
export type HoldActions = {
  readonly decide: (hold: Hold, decision: HoldDecision | "shown") => void
}

/** Requests that wait for a person, in words; each with what decides it: buttons, or the command. */
export function holdList(
  look: Pick<Look, "holds" | "at" | "may_release"> | undefined,
  actions: HoldActions,
): TemplateResult | typeof nothing {
  if (look === undefined || look.holds.length === 0) return nothing
  const { holds, at, may_release: mayRelease } = look
  const ways = mayRelease ? buttons(actions) : releaseCommand(actions)
  return html`<section class="panel holds" aria-labelledby="holds">
    <h2 id="holds">Waiting for a person <span class="count">${holds.length}</span></h2>
    <ul>
      ${repeat(
        holds,
        ({ id }) => id,
        (hold) => holdItem(hold, at, ways),
      )}
    </ul>
  </section>`
}

type Ways = (hold: Hold) => TemplateResult

function holdItem(hold: Hold, nowMs: number, ways: Ways): TemplateResult {
  const { id, operation, client, key, words } = hold
  return html`<li>
    <p id=${id}><strong>${words}</strong></p>
    <p class="quiet">
      ${operation} of ${client} with ${key}, ends in ${spanWords(hold.expires_at - nowMs)}
    </p>
    ${ways(hold)}
  </li>`
}

function releaseCommand(actions: HoldActions): Ways {
  return (hold) =>
    html`<p class="decide">
      ${wholeButton(hold, actions)} ${command(`countersign held release ${hold.id}`)}
    </p>`
}

function wholeButton(hold: Hold, { decide }: HoldActions): TemplateResult {
  return html`<button aria-describedby=${hold.id} @click=${() => decide(hold, "shown")}>
    Show all of it
  </button>`
}

function buttons(actions: HoldActions): Ways {
  const { decide } = actions
  return (hold) =>
    html`<p class="decide">
      ${wholeButton(hold, actions)}
      <button aria-describedby=${hold.id} @click=${() => decide(hold, "released")}>Release…</button>
      <button aria-describedby=${hold.id} @click=${() => decide(hold, "refused")}>Refuse…</button>
    </p>`
}
