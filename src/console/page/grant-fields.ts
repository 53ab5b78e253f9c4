import type { Grant, Hold } from "../asks.ts"
import { html, type TemplateResult } from "./lib/lit-html.js"

/** The form's, by name. */
export type GrantFields = Readonly<
  Partial<Record<"minutes" | "times" | "upTo", Pick<HTMLInputElement, "value">>>
>

const minuteMs = 60_000

/** What was filled in: all three, or nothing; `why` says what is missing. */
export function grantFrom({ minutes, times, upTo }: GrantFields): {
  readonly grant?: Grant
  readonly why?: string
} {
  const given = [minutes, times, upTo].map((field) => field?.value.trim() ?? "")
  const [forMinutes, count, most = ""] = given
  if (given.every((text) => text === "")) return {}
  if (given.includes("")) {
    return { why: "For further orders fill in all three; leave all empty to release it once." }
  }
  return { grant: { forMs: Number(forMinutes) * minuteMs, times: Number(count), upTo: most } }
}

/** What is asked with a release; nothing where it isn't of a single order. */
export function grantFields({ operation }: Hold): TemplateResult | undefined {
  if (operation !== "placeOrder") return undefined
  return html`<fieldset>
    <legend>Further orders like it too?</legend>
    <p>
      Those that differ in price, quantity and client_order_id alone are then signed without a
      person, this one among them, until one of these is used up. Leave them empty to release it
      once.
    </p>
    <label for="minutes">Minutes</label>
    <input id="minutes" name="minutes" type="number" min="1" max="1440" step="1" />
    <label for="times">Orders in all</label>
    <input id="times" name="times" type="number" min="1" max="1000" step="1" />
    <label for="upTo">Quantity in all</label>
    <input id="upTo" name="upTo" inputmode="decimal" maxlength="64" autocomplete="off" />
  </fieldset>`
}
