import type { Calls } from "./calls.ts"
import type { Happening } from "./events.ts"
import type { FakeTimers } from "./fake-timers.ts"
import type { Gate } from "./gate.ts"
import type { Machine } from "./machine.ts"
import type { Operator } from "./operator.ts"

/** What events happen to. */
export type World = {
  readonly machine: Machine
  readonly calls: Calls
  readonly gate: Gate
  readonly operator: Operator
  readonly timers: FakeTimers
}

type What = Happening["do"]
type About<Named extends What> = Extract<Happening, { readonly do: Named }>

/** Lets an event happen. What nobody is there to hear, or has nothing to be about, does nothing. */
export async function happen<Named extends What>(event: About<Named>, world: World): Promise<void> {
  await happenings[event.do](event, world)
}

const happenings: {
  readonly [Named in What]: (event: About<Named>, world: World) => void | Promise<void>
} = {
  sign: ({ bot, wanted, purpose }, { gate }) => gate.sign(bot, wanted, purpose),
  batch: ({ bot, wanted }, { gate }) => gate.batch(bot, wanted),
  report: ({ nth, told }, { gate }) => gate.report(nth, told),
  freeze: ({ what, cancels }, { operator }) => operator.freeze(what, cancels),
  thaw: ({ what }, { operator }) => operator.thaw(what),
  decide: ({ nth, to }, { operator }) => operator.decide(nth, to),
  adopt: ({ policy }, { operator }) => operator.adopt(policy),
  "revoke client": ({ bot }, { operator }) => operator.revokeClient(bot),
  "revoke key": ({ key }, { operator }) => operator.revokeKey(key),
  lock: (_event, { operator }) => operator.lock(),
  unlock: (_event, { operator }) => operator.unlock(),
  "accept clock": (_event, { operator }) => operator.acceptClock(),
  "accept restore": (_event, { operator }) => operator.acceptRestore(),
  commit: ({ most }, { machine }) => machine.life?.store.commit(most),
  tell: (_event, { machine }) => machine.life?.store.tell(),
  "write marks": (_event, { machine }) => machine.shelf.write(),
  "fill disk": ({ torn }, { machine }) => machine.life?.store.fill(torn),
  "back up": (_event, { machine }) => machine.disk.backUp(),
  crash({ torn, reboot, restore }, world) {
    world.machine.crash(torn)
    if (restore) world.machine.disk.restore()
    if (reboot) world.machine.clock.reboot()
    ended(world)
  },
  async stop(_event, world) {
    await world.machine.stop()
    ended(world)
  },
  async start({ policy, dies }, { machine }) {
    if (machine.life !== undefined) return
    machine.policy = policy
    await machine.start(dies)
  },
  pass({ ms }, { machine, timers }) {
    machine.clock.pass(ms)
    timers.pass(ms)
  },
  leap: ({ ms }, { machine }) => machine.clock.leap(ms),
}

function ended({ calls, timers }: World): void {
  timers.clear()
  calls.ended()
}
