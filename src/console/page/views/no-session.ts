import { html, type TemplateResult } from "../lib/lit-html.js"
import { command } from "./command.ts"

/** What there is to see without a session: how to come by one. */
export function noSession(title: string, sentence: string): TemplateResult {
  return html`<main class="door">
    <p class="brand">Countersign</p>
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p>On the machine where the daemon runs, as the user who runs it, or with sudo:</p>
    ${command("countersign console")}
    <p class="quiet">
      It prints a link to this page that works once, within a minute, and serves the page until you
      end it.
    </p>
  </main>`
}
