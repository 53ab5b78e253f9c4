import type { HeldWhole, Hold, HoldDecision, Weighed } from "../asks.ts"
import { grantFields, grantFrom, type GrantFields } from "./grant-fields.ts"
import { html, nothing, render, type TemplateResult } from "./lib/lit-html.js"
import { type Answered, post } from "./session.ts"

/** A dialog of the page, closed at first. What it sends is sent once its button was pressed, and then once. */
function makeDialog<Asked>(
  titleId: string,
  contents: (asked: Asked, shown: Shown) => TemplateResult,
  send: (asked: Asked, fields: HTMLFormControlsCollection) => Promise<Answered | undefined>,
) {
  const dialog = document.createElement("dialog")
  dialog.setAttribute("aria-labelledby", titleId)
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
      const { elements } = event.currentTarget as HTMLFormElement
      void once(async () => {
        const answered = await send(asked, elements)
        if (answered?.ok === true) close()
        else if (answered !== undefined) show(asked, answered.why)
      })
    }
    render(contents(asked, { why, close, submit }), dialog)
  }
  const open = (asked: Asked, why?: string): void => {
    show(asked, why)
    dialog.querySelector("form")?.reset()
    if (!dialog.open) dialog.showModal()
  }
  return { open, once, close }
}

/** What a dialog shows besides what it asks, and what its buttons do. */
type Shown = {
  readonly why: string | undefined
  readonly close: () => void
  readonly submit: (event: SubmitEvent) => void
}

/** The question before everything is frozen. The page shows the freeze itself as soon as the vault tells it. */
export function makeFreezeDialog() {
  const { open, close } = makeDialog("freeze-title", freezeContents, (_: null, fields) => {
    const { reason } = fields as unknown as FreezeFields
    return post("freeze", { reason: reason.value.trim() })
  })
  return { open: () => open(null), close }
}

/** The form's, by name. */
type FreezeFields = { readonly reason: HTMLInputElement }

function freezeContents(_: null, { why, close, submit }: Shown): TemplateResult {
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

/** The whole of a held request; or the question before it is released or refused, with what has changed since it was held. */
export function makeReleaseDialog() {
  const dialog = makeDialog("release-title", releaseContents, decide)
  return {
    open: (hold: Hold, decision: Asked["decision"]): Promise<void> =>
      dialog.once(async () => {
        const { asked, why } = await readHold(hold, decision)
        dialog.open(asked, why)
      }),
    close: dialog.close,
  }
}

async function decide({ hold, decision, weighed }: Asked, fields: HTMLFormControlsCollection) {
  if (decision === "shown" || weighed === undefined) return undefined
  const { typed } = fields as unknown as ReleaseFields
  const { grant, why } = grantFrom(fields as unknown as ReleaseFields)
  if (why !== undefined) return { ok: false, status: undefined, why } as const
  const { policy_hash } = weighed
  const word = { id: hold.id, decision, typed: typed?.value.trim() ?? "", policy_hash }
  return post("decide", grant === undefined ? word : { ...word, grant })
}

/** `weighed` is missing where it is only shown, or the command couldn't tell it; then nothing can be decided. */
type Asked = {
  readonly hold: Hold
  readonly body: string
  readonly decision: HoldDecision | "shown"
  readonly weighed: Weighed | undefined
}

type Read = { readonly asked: Asked; readonly why: string | undefined }

/** Reads the whole of it, and what is to be known before it is decided. */
async function readHold(hold: Hold, decision: Asked["decision"]): Promise<Read> {
  const { id } = hold
  const whole = await post("held", { id })
  if (!whole.ok) return { asked: { hold, body: "", decision, weighed: undefined }, why: whole.why }
  const { words, body } = whole.data as HeldWhole // the server has parsed what it passes on
  const asked = { hold: { ...hold, words }, body, decision, weighed: undefined }
  if (decision === "shown") return { asked, why: undefined }
  const answered = await post("weigh", { id })
  if (!answered.ok) return { asked, why: answered.why }
  const weighed = answered.data as Weighed
  return { asked: { ...asked, hold: { ...hold, words: weighed.words }, weighed }, why: undefined }
}

/** The form's, by name. */
type ReleaseFields = { readonly typed?: HTMLInputElement } & GrantFields

const said = {
  shown: {
    title: "What waits",
    then: "It waits until a person decides, or its time is over.",
    button: "",
    keep: "Close",
  },
  released: {
    title: "Release this request?",
    then: "It is signed once, when the bot sends it again, and judged anew then. A release can't be taken back.",
    button: "Release it",
    keep: "Keep it waiting",
  },
  refused: {
    title: "Refuse this request?",
    then: "It isn't signed. The bot may ask for it again, and then it waits anew.",
    button: "Refuse it",
    keep: "Keep it waiting",
  },
} as const satisfies Record<HoldDecision | "shown", object>

/** What changes nothing has the focus, unless something is to be typed in. */
function releaseContents(
  { hold, body, decision, weighed }: Asked,
  { why, close, submit }: Shown,
): TemplateResult {
  const { title, then, button, keep } = said[decision]
  const isRelease = decision === "released"
  const toType = isRelease ? weighed?.to_type : undefined
  return html`<form @submit=${submit}>
    <h2 id="release-title">${title}</h2>
    <p class="asked"><strong>${hold.words}</strong></p>
    <p class="quiet">${hold.operation} of ${hold.client} with ${hold.key}</p>
    <pre role="region" tabindex="0" aria-label="The whole body">${body}</pre>
    ${isRelease ? [weighed?.warnings.map(problem), grantFields(hold)] : undefined}
    <p>${then}</p>
    ${toType && typing(toType)} ${why && problem(why)}
    <div class="buttons">
      <button type="button" ?autofocus=${!toType} @click=${close}>${keep}</button>
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
