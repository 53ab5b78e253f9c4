import { makeFreezeDialog } from "./freeze-dialog.ts"
import { render } from "./lib/lit-html.js"
import {
  emptyModel,
  newsIn,
  standingOf,
  withDecisions,
  withoutStream,
  withoutVault,
  withState,
  type Model,
} from "./model.ts"
import { paced } from "./paced.ts"
import { drawPlots, type Plot } from "./plot.ts"
import { seriesOf } from "./rates.ts"
import { readEvents } from "./read-events.ts"
import { gatherRefusals, type RefusalNews } from "./refusal-news.ts"
import { post } from "./session.ts"
import { consolePage, type ConsoleActions } from "./views/console-page.ts"
import type { DecisionsShown } from "./views/decisions.ts"

/** A person reads no faster, and a busy bot decides much faster. */
const frameMs = 250

const everything: DecisionsShown = { paused: undefined, onlyNoes: false }

/** Shows the console of the session that there is, until it is over; then `ended` hears why. */
export function showConsole(root: HTMLElement, ended: (why: string) => void): void {
  let [model, view, isOver] = [emptyModel, everything, false]
  const [refusals, question] = [gatherRefusals(), makeFreezeDialog()]
  const draw = openDrawing(root, refusals)
  const drawNow = (): void => {
    if (!isOver) draw(model, view, actions)
  }
  const drawSoon = paced(drawNow, frameMs)
  const change = (next: Model): void => {
    model = next
    drawSoon()
  }
  const look = (next: Partial<DecisionsShown>): void => {
    view = { ...view, ...next }
    drawNow()
  }
  const end = (why: string): void => {
    if (isOver) return
    isOver = true
    question.close()
    ended(why)
  }
  const actions: ConsoleActions = {
    freeze: question.open,
    endSession: () => void endSession().then(end),
    pause: () => look({ paused: view.paused === undefined ? model : undefined }),
    onlyNoes: () => look({ onlyNoes: !view.onlyNoes }),
  }
  void readEvents({
    state: (now) => change(withState(model, now)),
    decisions: (feed) => {
      refusals.hear(newsIn(model, feed))
      change(withDecisions(model, feed))
    },
    away: (why) => change(withoutVault(model, why)),
    lost: (why) => change(withoutStream(model, why)),
    ended: end,
  })
  drawNow()
}

/** Draws the whole page, and its plots. */
function openDrawing(
  root: HTMLElement,
  refusals: RefusalNews,
): (model: Model, view: DecisionsShown, actions: ConsoleActions) => void {
  const plots = new WeakMap<Element, Plot>()
  return (model, view, actions) => {
    const news = refusals.tell(performance.now())
    const series = seriesOf(model.samples, model.latencyBounds)
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
