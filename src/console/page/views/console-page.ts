import { html, type TemplateResult } from "../lib/lit-html.js"
import type { Model } from "../model.ts"
import type { Series } from "../rates.ts"
import { decisionsTable, type DecisionsActions, type DecisionsShown } from "./decisions.ts"
import { keysPanel, limitsPanel, trafficPanel } from "./gauges.ts"
import { holdList, type HoldActions } from "./holds.ts"
import { notices, type StatusActions, statusBar } from "./status-bar.ts"

type ConsoleShown = DecisionsShown & {
  readonly series: Series
  /** What a screen reader was told last. */
  readonly news: string
}

export type ConsoleActions = DecisionsActions & StatusActions & HoldActions

/** The whole page while there is a session. */
export function consolePage(
  model: Model,
  shown: ConsoleShown,
  actions: ConsoleActions,
): TemplateResult {
  const { look } = model
  return html`<a class="skip" href="#decisions">Skip to the decisions</a>
    ${statusBar(model, actions)}
    <main>
      <div class="watch">
        ${notices(model)} ${holdList(look, actions)} ${decisionsTable(model, shown, actions)}
      </div>
      <div class="gauges" role="region" aria-label="Gauges" tabindex="0">
        ${trafficPanel(shown.series)} ${limitsPanel(model)} ${keysPanel(model)}
      </div>
    </main>
    <p class="hidden" role="status">${shown.news}</p>`
}
