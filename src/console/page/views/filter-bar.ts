import type { Decision } from "../../asks.ts"
import { choicesOf, filterParts, type Filter, type FilterPart } from "../filter.ts"
import { html, type TemplateResult } from "../lib/lit-html.js"

export type FilterActions = {
  /** Chooses by a part; by all of its values where none is given. */
  readonly filter: (part: FilterPart, value: string | undefined) => void
}

const names = { client: "Client", key: "Key", symbol: "Symbol", code: "Code" } as const

/** Choices of what the list shows, from what there is of each. */
export function filterBar(
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
