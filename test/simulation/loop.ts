import { syncBuiltinESMExports } from "node:module"
import timers from "node:timers/promises"

/** The turns of the event loop that the vault waits for. They end when the simulation says so, which costs no real turn. */
const turns: (() => void)[] = []

const realTurn = timers.setImmediate
let isSimulated = false

timers.setImmediate = <Value = void>(value?: Value) =>
  isSimulated
    ? new Promise<Value>((resolve) => turns.push(() => resolve(value as Value)))
    : realTurn(value)
syncBuiltinESMExports()

/** Takes the place of the process's event loop while `work` goes on. A rejection that it leaves to nobody fails the test. */
export async function inSimulatedLoop<Out>(work: () => Promise<Out>): Promise<Out> {
  isSimulated = true
  try {
    const out = await work()
    await turnEnded()
    return out
  } finally {
    isSimulated = false
    turns.length = 0
  }
}

/** Until nothing goes on by itself. */
export async function quiet(): Promise<void> {
  await microtasksDone()
  while (turns.length > 0) {
    for (const end of turns.splice(0)) end()
    await microtasksDone()
  }
}

/** The end of a real turn, when a rejection that nobody has taken comes to light. */
export async function turnEnded(): Promise<void> {
  await realTurn()
}

/** A tick comes when no microtask is left. */
function microtasksDone(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
