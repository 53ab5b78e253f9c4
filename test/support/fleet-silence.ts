import { allSign, happen, type Around, type FleetEvent, type Happened } from "./fleet-events.ts"

/** For how long after an event no other host gave a signature out, and until all had given one out. */
export type Silence = Happened & {
  readonly event: FleetEvent
  readonly ms: number
  readonly untilAllMs: number
}

/** Has an event happen to hosts that sign, and waits until all sign again. */
export async function silenceAfter(event: FleetEvent, around: Around): Promise<Silence> {
  const happened = await happen[event](around)
  await allSign(around)
  const span = { fromMs: happened.atMs, toMs: performance.now() }
  const ms = around.signings.silence(span, happened.host?.name)
  return { ...happened, event, ms, untilAllMs: span.toMs - span.fromMs }
}
