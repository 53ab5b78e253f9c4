import { html, type TemplateResult } from "../lib/lit-html.js"
import { command } from "./command.ts"

/** What there is to see without a session: how to come by one. */
export function noSession(title: string, sentence: string): TemplateResult {
  return html`<main class="door">
    <p class="brand">Countersign</p>
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p>On the machine where it runs, as the user who runs it:</p>
    ${command("countersign console")}
    <p class="quiet">It prints a link to this page that works once, within a minute.</p>
  </main>`
}
