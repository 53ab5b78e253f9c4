import { html, type TemplateResult } from "../lib/lit-html.js"

/** The options that name the installation in each command. A page is of one installation alone. */
let where = ""

/** Has every command from now on name the installation by these words, which begin with a space if there are any. */
export function nameInstallation(words: string): void {
  where = words
}

/** A command to run in a terminal, for this installation, with a button that copies it. */
export function command(words: string): TemplateResult {
  const text = `${words}${where}`
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
