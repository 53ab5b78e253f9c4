import assert from "node:assert/strict"

import type { LedgerTime } from "../../src/vault/process/clock.ts"
import type { Vault } from "../../src/vault/vault.ts"
import { formatDecimal } from "../../src/venue/decimal.ts"
import { keyNames } from "./fake-curve.ts"
import type { World } from "./happen.ts"
import { Machine } from "./machine.ts"
import { bots } from "./site.ts"

/** How often all is made durable before what still waits counts as stuck. */
const mostRounds = 400

type Ending = World & {
  /** The clock never leapt. */
  readonly isCalm: boolean
}

/**
 * Lets what was asked come to its end, and holds three states against each other: the one that runs, the one after a
 * restart, and the one that the rows give by themselves. `isToEndWell`: whatever went wrong before, nothing may wait for ever
 * and each bot's cancel must be signed.
 */
export async function endWell(ending: Ending, isToEndWell: boolean): Promise<void> {
  const { machine, calls } = ending
  if (isToEndWell) {
    calls.trace.note(() => "now nothing fails any more")
    await heal(ending)
    await finish(ending)
    await cancelAll(ending)
  } else await finish(ending)
  await compareStates(machine, ending.isCalm)
}

/** A broken ledger needs a restart, as systemd gives it; the rest is an operator's. */
async function heal(ending: Ending): Promise<void> {
  const { machine, calls, operator, timers } = ending
  if (machine.life?.store.isBroken) {
    machine.crash("nothing")
    calls.ended()
  }
  await machine.start()
  await finish(ending)
  const { vault } = machine.life!
  if (vault.ledger.marks.waiting().length > 0) operator.acceptRestore()
  await finish(ending)
  if (vault.ledger.clock.doubt() !== undefined) operator.acceptClock()
  for (const { scope, name, cancels } of vault.active().freezes) {
    if (!cancels) operator.thaw({ scope, name })
  }
  operator.unlock()
  await finish(ending)
  machine.clock.pass(2_000)
  timers.pass(2_000)
}

/** Until nobody waits for an answer. */
async function finish({ machine, calls }: Ending): Promise<void> {
  const { life } = machine
  if (life === undefined) return
  for (let round = 0; round < mostRounds; round += 1) {
    await machine.flush(life.store)
    if (calls.broken !== undefined) throw calls.broken
    if (calls.open.size === 0 && life.store.isIdle && machine.shelf.isIdle) return
  }
  throw new Error(`still waits: ${[...calls.open].join("; ")}`)
}

async function cancelAll(ending: Ending): Promise<void> {
  const { machine, gate } = ending
  const { keys, clients } = machine.life!.vault.active()
  const mayCancel = bots.flatMap(({ name, keys: own }, index) => {
    const isThere = clients.some((client) => client.name === name && client.token_hash !== null)
    const key = keyNames.find(
      (each) => own.includes(each) && keys.get(each)?.approval === "unknown",
    )
    return isThere && key !== undefined ? [{ index, key }] : []
  })
  const before = gate.cancelled
  for (const { index, key } of mayCancel) {
    gate.sign(index, { order: "cancel", key }, "return")
    gate.batch(index, [{ order: "cancel", key }])
  }
  await finish(ending)
  assert.equal(gate.cancelled - before, 2 * mayCancel.length, "a cancel wasn't signed")
}

/** The state that runs, and those that another start makes: after a crash, after an end, and of the rows alone. */
async function compareStates(machine: Machine, isCalm: boolean): Promise<void> {
  if (machine.life === undefined || machine.life.store.isBroken) return
  const nowMs = machine.life.vault.now()
  const live = imageOf(machine.life.vault, nowMs)
  const recovered = new Machine(machine.disk.copy(), machine.shelf.copy())
  await machine.stop()
  const restarted = new Machine(machine.disk.copy(), machine.shelf.copy())
  const replayed = new Machine(machine.disk.copy().withoutSnapshot(), machine.shelf.copy())
  for (const [name, other] of Object.entries({ recovered, restarted, replayed })) {
    other.clock.goOnAs(machine.clock)
    other.policy = machine.policy
    const image = imageOf(await other.look(), nowMs)
    const expected = {
      ...live,
      // A clock that leapt is followed in another way by a vault that runs than by one that starts.
      ...(!isCalm && { usage: image.usage }),
      // Marks are ahead of need while a vault runs.
      ...(name === "recovered" && { nonces: image.nonces }),
    }
    assert.deepEqual(image, expected, `the state ${name} is another`)
  }
}

/** All that decisions depend on besides the files, as of `nowMs`. */
function imageOf(vault: Vault, nowMs: LedgerTime) {
  const { ledger } = vault
  const { keys, usableKeys, clients, freezes } = vault.active()
  const usage = ledger.usage(nowMs).map(({ meter, used }) => `${meter}: ${formatDecimal(used)}`)
  return {
    ...{ keys: [...keys.values()], clients, freezes },
    holds: ledger.holds(nowMs),
    usage: usage.sort(),
    // A start has no use for the mark of a key that never signs again.
    nonces: [...usableKeys.values()].map(({ address }) => ledger.lastNonce(address)),
  }
}
