import { html, nothing, render } from "./lib/lit-html.js"
import { post } from "./session.ts"

/** The question before everything is frozen. Nothing is sent before a reason was given and the button pressed, and then once. */
export type FreezeDialog = { readonly open: () => void; readonly close: () => void }

/** Adds it to the page, closed. The page shows the freeze itself as soon as the vault tells it. */
export function makeFreezeDialog(): FreezeDialog {
  const dialog = document.createElement("dialog")
  dialog.setAttribute("aria-labelledby", "freeze-title")
  document.body.append(dialog)
  let isAsking = false
  const show = (why?: string): void => void render(contents({ why, close, submit }), dialog)
  const close = (): void => dialog.close()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (isAsking) return
    const { reason } = (event.currentTarget as HTMLFormElement).elements as unknown as Fields
    void freeze(reason.value.trim())
  }
  const freeze = async (reason: string): Promise<void> => {
    isAsking = true
    const answered = await post("freeze", { reason })
    isAsking = false
    if (answered.ok) close()
    else show(answered.why)
  }
  return {
    open: () => {
      show()
      dialog.querySelector("form")?.reset()
      dialog.showModal()
    },
    close,
  }
}

/** The form's, by name. */
type Fields = { readonly reason: HTMLInputElement }

type Contents = {
  readonly why: string | undefined
  readonly close: () => void
  readonly submit: (event: SubmitEvent) => void
}

function contents({ why, close, submit }: Contents) {
  return html`<form @submit=${submit}>
    <h2 id="freeze-title">Freeze everything?</h2>
    <p>
      From now on no order is signed, for any client or key. Cancels and reduce-only orders stay
      open.
    </p>
    <p>Only a terminal can end it: <code>countersign thaw --all</code></p>
    <label for="reason">Why? Bots and the record are told.</label>
    <input
      id="reason"
      name="reason"
      required
      pattern=".*\\S.*"
      title="A word or more"
      maxlength="200"
      autocomplete="off"
      autofocus
    />
    ${why === undefined ? nothing : html`<p class="problem" role="alert">${why}</p>`}
    <div class="buttons">
      <button type="button" @click=${close}>Keep signing</button>
      <button class="danger solid">Freeze all signing</button>
    </div>
  </form>`
}
