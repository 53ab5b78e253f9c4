import { Calls } from "./calls.ts"
import { Checker } from "./checker/checker.ts"
import { endWell } from "./end-well.ts"
import { eventText, type Event, type Plan } from "./events.ts"
import { fakeTimers } from "./fake-timers.ts"
import { genesis } from "./store/genesis.ts"
import { Gate } from "./gate.ts"
import { happen, type World } from "./happen.ts"
import { inSimulatedLoop, quiet, turnEnded } from "./loop.ts"
import { Machine } from "./machine.ts"
import { Operator } from "./operator.ts"
import { Trace } from "./trace.ts"

/** What came of a run. */
export type Ran = {
  /** What broke, if anything did. */
  readonly broken: Error | undefined
  readonly trace: Trace
}

/** Runs a plan from the beginning of an installation to its end, and stops at the first promise that is broken. */
export function runPlan(plan: Plan): Promise<Ran> {
  return inSimulatedLoop(() => run(plan))
}

async function run({ events, isToEndWell }: Plan): Promise<Ran> {
  const trace = new Trace()
  const timers = fakeTimers()
  const machine = new Machine(genesis())
  const checker = new Checker(machine.disk)
  const calls = new Calls(machine, checker, trace)
  const isCalm = isWithoutLeaps(events)
  const gate = new Gate(calls, isCalm)
  const world: World = { machine, calls, gate, operator: new Operator(calls), timers }
  try {
    await machine.start()
    for (const [index, event] of events.entries()) {
      trace.note(() => `${index + 1} ${eventText(event)}`)
      await happen(event, world)
      await pause(event.then)
      if (event.do === "fill disk") await turnEnded() // it rejects much: what nobody takes by now fails the test
      checker.readOn()
      if (calls.broken !== undefined) throw calls.broken
    }
    await endWell({ ...world, isCalm }, isToEndWell)
    return { broken: undefined, trace }
  } catch (error) {
    return { broken: error instanceof Error ? error : new Error(String(error)), trace }
  } finally {
    timers.end()
  }
}

/** Whether the time that the vault goes by is the clock's throughout. */
function isWithoutLeaps(events: readonly Event[]): boolean {
  return !events.some((event) => event.do === "leap" || (event.do === "crash" && event.reboot))
}

async function pause(then: Event["then"]): Promise<void> {
  if (then === "all") return quiet()
  for (let ticks = 0; ticks < then; ticks += 1) await Promise.resolve()
}
