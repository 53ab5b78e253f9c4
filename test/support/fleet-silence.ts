import { allSign, happen, type Around, type FleetEvent, type Happened } from "./fleet-events.ts"

/** How long no other host gave a signature out after an event. */
export type Silence = Happened & {
  readonly event: FleetEvent
  /** The longest time until all had given one out. */
  readonly ms: number
  /** The same, of the first moment: before who was lost takes up processors by its start. */
  readonly firstMs: number
  readonly untilAllMs: number
}

const momentMs = 350

/** Has an event happen to hosts that sign, and waits until all sign again. */
export async function silenceAfter(event: FleetEvent, around: Around): Promise<Silence> {
  const happened = await happen[event](around)
  await allSign(around)
  const span = { fromMs: happened.atMs, toMs: performance.now() }
  const moment = { ...span, toMs: Math.min(span.toMs, span.fromMs + momentMs) }
  const [ms = 0, firstMs = 0] = [span, moment].map((each) =>
    around.signings.silence(each, happened.host?.name),
  )
  return { ...happened, event, ms, firstMs, untilAllMs: span.toMs - span.fromMs }
}
