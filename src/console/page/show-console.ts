import { html, type TemplateResult } from "./lib/lit-html.js"
import { makeFreezeDialog, makeReleaseDialog } from "./dialogs.ts"
import { render } from "./lib/lit-html.js"
import {
  emptyModel,
  type Model,
  newsIn,
  standingOf,
  withHistory,
  withLook,
  withoutConsole,
  withoutVault,
  gatherRefusals,
  type RefusalNews,
} from "./model.ts"
import { openedRow, readLooks } from "./read-looks.ts"
import { drawPlots, type Plot } from "./plot.ts"
import { seriesOf, type Series } from "./rates.ts"
import { post } from "./session.ts"
import { nameInstallation } from "./views/command.ts"
import { type DecisionsActions, type DecisionsShown, decisionsTable } from "./views/decisions.ts"
import { keysPanel, limitsPanel, trafficPanel } from "./views/gauges.ts"
import { grantList } from "./views/grants.ts"
import { guardsPanel } from "./views/guards.ts"
import { holdList, type HoldActions } from "./views/holds.ts"
import { notices, type StatusActions, statusBar } from "./views/status-bar.ts"

/** A person reads no faster. */
const frameMs = 250

const everything: DecisionsShown = {
  paused: undefined,
  onlyNoes: false,
  filter: {},
  opened: undefined,
}

/** Shows the console of the session that there is, until it is over; then `ended` hears why. */
export function showConsole(root: HTMLElement, ended: (why: string) => void): void {
  let [model, view, isOver] = [emptyModel, everything, false]
  const [refusals, dialogs] = [gatherRefusals(), makeDialogs()]
  const draw = openDrawing(root, refusals)
  const drawNow = (): void => {
    if (!isOver) draw(model, view, actions)
  }
  const drawSoon = paced(drawNow, frameMs)
  const change = (next: Model): void => {
    model = next
    drawSoon()
  }
  const look = (change: ViewChange): void => {
    view = { ...view, ...change(view, model) }
    drawNow()
  }
  const end = (why: string): void => {
    if (isOver) return
    isOver = true
    dialogs.close()
    ended(why)
  }
  const actions: ConsoleActions = {
    ...dialogs.actions,
    endSession: () => void endSession().then(end),
    ...decisionsActions(look),
  }
  void readLooks({
    look: (now) => {
      nameInstallation(now.where)
      refusals.hear(newsIn(model, now))
      change(withLook(model, now))
    },
    history: (part) => change(withHistory(model, part)),
    away: (why) => change(withoutVault(model, why)),
    lost: (why) => change(withoutConsole(model, why)),
    ended: end,
  })
  drawNow()
}

type ViewChange = (view: DecisionsShown, model: Model) => Partial<DecisionsShown>

function decisionsActions(look: (change: ViewChange) => void): DecisionsActions {
  return {
    pause: () =>
      look(({ paused }, model) => ({ paused: paused === undefined ? model : undefined })),
    onlyNoes: () => look(({ onlyNoes }) => ({ onlyNoes: !onlyNoes })),
    filter: (part, value) => look(({ filter }) => ({ filter: { ...filter, [part]: value } })),
    open: openedRow((opened) => {
      look(() => ({ opened }))
      document.querySelector("tr.opened")?.scrollIntoView({ block: "nearest" })
    }),
  }
}

function makeDialogs() {
  const [freeze, release] = [makeFreezeDialog(), makeReleaseDialog()]
  const actions: Pick<ConsoleActions, "freeze" | "decide"> = {
    freeze: freeze.open,
    decide: (hold, decision) => void release.open(hold, decision),
  }
  return {
    actions,
    close: () => {
      freeze.close()
      release.close()
    },
  }
}

/** Draws the whole page, and its plots. */
function openDrawing(
  root: HTMLElement,
  refusals: RefusalNews,
): (model: Model, view: DecisionsShown, actions: ConsoleActions) => void {
  const plots = new WeakMap<Element, Plot>()
  return (model, view, actions) => {
    const news = refusals.tell(performance.now())
    const series = seriesOf(model.samples, model.look?.signing.bounds ?? [])
    document.title = `${standingOf(model).word} · Countersign`
    render(consolePage(model, { ...view, news, series }, actions), root)
    drawPlots(series, plots)
  }
}

async function endSession(): Promise<string> {
  const answered = await post("end", {})
  if (answered.ok) return "You ended it."
  return `${answered.why} This page has forgotten it; where it goes on, it ends after 15 minutes of silence.`
}

/** Runs `draw` after it was asked to, when the browser paints, and at most once in `everyMs`. */
function paced(draw: () => void, everyMs: number): () => void {
  let isAsked = false
  let drawnMs = -Infinity
  const drawNow = (): void => {
    isAsked = false
    drawnMs = performance.now()
    draw()
  }
  return () => {
    if (isAsked) return
    isAsked = true
    const waitMs = Math.max(0, drawnMs + everyMs - performance.now())
    setTimeout(() => requestAnimationFrame(drawNow), waitMs)
  }
}

type ConsoleShown = DecisionsShown & {
  readonly series: Series
  /** What a screen reader was told last. */
  readonly news: string
}

type ConsoleActions = DecisionsActions & StatusActions & HoldActions

/** The whole page while there is a session. */
function consolePage(model: Model, shown: ConsoleShown, actions: ConsoleActions): TemplateResult {
  const { look } = model
  return html`<a class="skip" href="#decisions">Skip to the decisions</a>
    ${statusBar(model, actions)}
    <main>
      <div class="watch">
        ${notices(model)} ${holdList(look, actions)} ${grantList(look)}
        ${decisionsTable(model, shown, actions)}
      </div>
      <div class="gauges" role="region" aria-label="Gauges" tabindex="0">
        ${trafficPanel(shown.series)} ${guardsPanel(model)} ${limitsPanel(model)}
        ${keysPanel(model)}
      </div>
    </main>
    <p class="hidden" role="status">${shown.news}</p>`
}
