import { html, type TemplateResult } from "../lib/lit-html.js"

/** A command to run in a terminal, with a button that copies it. */
export function command(text: string): TemplateResult {
  return html`<span class="command">
    <code>${text}</code
    ><button aria-label="Copy ${text}" @click=${(event: Event) => void copy(event, text)}>
      Copy
    </button>
  </span>`
}

async function copy({ currentTarget }: Event, text: string): Promise<void> {
  const button = currentTarget as HTMLButtonElement
  await navigator.clipboard.writeText(text).then(
    () => button.classList.add("copied"),
    () => undefined, // the browser doesn't let it, and the text can still be marked
  )
  setTimeout(() => button.classList.remove("copied"), 1_500)
}
