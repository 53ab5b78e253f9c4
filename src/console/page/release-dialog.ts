import type { Hold, HoldDecision, Weighed } from "../asks.ts"
import { html, render, type TemplateResult } from "./lib/lit-html.js"
import { post } from "./session.ts"

/** The question before a held request is released or refused. It says again what is asked for, and what has changed since. */
export type ReleaseDialog = {
  readonly open: (hold: Hold, decision: HoldDecision) => Promise<void>
  readonly close: () => void
}

/** Adds it to the page, closed. Nothing is decided before its button was pressed, and then once. */
export function makeReleaseDialog(): ReleaseDialog {
  const dialog = document.createElement("dialog")
  dialog.setAttribute("aria-labelledby", "release-title")
  document.body.append(dialog)
  let isAsking = false
  const once = async (work: () => Promise<void>): Promise<void> => {
    if (isAsking) return
    isAsking = true
    await work()
    isAsking = false
  }
  const close = (): void => dialog.close()
  const show = (asked: Asked, why?: string): void => {
    const submit = (event: SubmitEvent): void => {
      event.preventDefault()
      const { typed } = (event.currentTarget as HTMLFormElement).elements as unknown as Fields
      void once(() => decide(asked, typed?.value.trim() ?? ""))
    }
    render(contents(asked, { why, close, submit }), dialog)
  }
  const decide = async (asked: Asked, typed: string): Promise<void> => {
    const { hold, decision, weighed } = asked
    const { policy_hash = "" } = weighed ?? {}
    const answered = await post("decide", { id: hold.id, decision, typed, policy_hash })
    if (answered.ok) close()
    else show(asked, answered.why)
  }
  return {
    open: (hold, decision) =>
      once(async () => {
        const answered = await post("weigh", { id: hold.id })
        // The server has parsed what it passes on.
        const weighed = answered.ok ? (answered.data as Weighed) : undefined
        const asked = { hold: { ...hold, words: weighed?.words ?? hold.words }, decision, weighed }
        show(asked, answered.ok ? undefined : answered.why)
        dialog.querySelector("form")?.reset()
        if (!dialog.open) dialog.showModal()
      }),
    close,
  }
}

/** `weighed` is missing where the command couldn't tell it; then nothing can be decided. */
type Asked = {
  readonly hold: Hold
  readonly decision: HoldDecision
  readonly weighed: Weighed | undefined
}

/** The form's, by name. */
type Fields = { readonly typed?: HTMLInputElement }

type Actions = {
  readonly why: string | undefined
  readonly close: () => void
  readonly submit: (event: SubmitEvent) => void
}

const said = {
  released: {
    title: "Release this request?",
    then: "It is signed once, when the bot sends it again, and judged anew then. A release can't be taken back.",
    button: "Release it once",
  },
  refused: {
    title: "Refuse this request?",
    then: "It isn't signed. The bot may ask for it again, and then it waits anew.",
    button: "Refuse it",
  },
} as const satisfies Record<HoldDecision, object>

/** What changes nothing has the focus, unless something is to be typed in. */
function contents({ hold, decision, weighed }: Asked, { why, close, submit }: Actions) {
  const { title, then, button } = said[decision]
  const isRelease = decision === "released"
  const toType = isRelease ? weighed?.to_type : undefined
  return html`<form @submit=${submit}>
    <h2 id="release-title">${title}</h2>
    <p class="asked"><strong>${hold.words}</strong></p>
    <p class="quiet">${hold.operation} of ${hold.client} with ${hold.key}</p>
    ${isRelease ? weighed?.warnings.map(problem) : undefined}
    <p>${then}</p>
    ${toType && typing(toType)} ${why && problem(why)}
    <div class="buttons">
      <button type="button" ?autofocus=${!toType} @click=${close}>Keep it waiting</button>
      ${weighed && html`<button class="danger solid" id="decide">${button}</button>`}
    </div>
  </form>`
}

function problem(text: string): TemplateResult {
  return html`<p class="problem" role="alert">${text}</p>`
}

function typing(operation: string): TemplateResult {
  return html`<label for="typed"
      >It is about the whole account. Type <code>${operation}</code> to release it.</label
    >
    <input
      id="typed"
      name="typed"
      required
      pattern=${operation}
      title=${operation}
      maxlength="64"
      autocomplete="off"
      autofocus
    />`
}
