import { setTimeout as sleep } from "node:timers/promises"

import { connectBotLink, type BotLink } from "../../src/link/client.ts"
import { Fault } from "../../src/std/fault.ts"
import { createAsks, type Ask, type Asked } from "./crash-asks.ts"
import type { CrashSite } from "./crash-site.ts"
import type { OutsideChecker } from "./outside-checker.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** How many callers speak to the vault itself, and how many there are with those who use the gate. */
const directCallers = 8
const allCallers = 12

/** How long a bot waits for its answer where there is nobody else to ask, and where there is. */
const alonePatienceMs = 5_000
const patienceMs = 2_000

/** One in so many bots waits for a host that stands still, and sees what it still gives out then. */
const patient = 4
const longPatienceMs = 15_000

/** Before it asks there. */
const pauseMs = 50

/** After so many answers of one, more or less, a caller turns to another as well. */
const staysFor = 60

/** Bots that never stop asking, and ask again what got no answer. */
export type CrashLoad = {
  /** Asks from many callers at once until `ended` resolves. */
  run(ended: Promise<unknown>): Promise<void>
  /** Has one request signed. @throws when it isn't. */
  signOne(): Promise<void>
  /** Has a request of each host signed, and asks every other for it again. @throws when that isn't the same signature. */
  repeatAtEach(): Promise<void>
  /** Asks at all hosts at once for what is left of each cap that was asked for. Returns how many these are. */
  fillCaps(): Promise<number>
  readonly counts: LoadCounts
}

export type LoadCounts = {
  requests: number
  repeats: number
  /** Requests that got no answer. */
  lost: number
  readonly refusals: Map<string, number>
}

/** Where the bots of a host ask. */
export type Door = {
  readonly botSocket: string
  /** Left out, nobody asks through a gate. */
  readonly gateUrl?: string | undefined
}

type Caller = Asked & {
  /** The door that it begins with. */
  readonly door: number
  readonly send: Send
}

/** A door, and a link to the vault behind it. */
type At = { readonly door: Door; readonly link: BotLink }

type Parts = {
  readonly site: Pick<CrashSite, "tokens" | "symbolIds">
  /** One for each host. Where there are several, a caller that gets no answer turns to the next. */
  readonly doors: readonly Door[]
  readonly random: SeededRandom
  readonly checker: OutsideChecker
  /** Hears where each signature came from. */
  readonly onSigned?: (door: Door) => void
}

/** Makes the callers; two clients share them, and each shares its keys among its callers. */
export function createCrashLoad(parts: Parts): CrashLoad {
  const { site, doors, random, checker } = parts
  const counts: LoadCounts = { requests: 0, repeats: 0, lost: 0, refusals: new Map() }
  const asks = createAsks(site, random)
  const [sendDirect, sendByGate] = senders(parts, (code, ask) => {
    counts.refusals.set(code, (counts.refusals.get(code) ?? 0) + 1)
    if (code === "limit_exhausted") asks.spent(ask.body["symbol_id"] as number)
  })

  /** Resolves with whether there is an answer. */
  async function ask(caller: Caller, at: At): Promise<boolean> {
    const { ask, isRepeat } = asks.next(caller)
    counts.requests += 1
    if (isRepeat) counts.repeats += 1
    try {
      await caller.send(ask, at)
      return true
    } catch (error) {
      if (!(error instanceof Fault && isUnanswered(error.code))) throw error
      counts.lost += 1
      if (ask.idempotencyKey !== undefined) caller.again.push(ask)
      return false
    }
  }

  async function loop(caller: Caller, isOver: () => boolean): Promise<void> {
    let index = caller.door
    const waitsMs = caller.door % patient === 0 ? longPatienceMs : undefined
    let at = openDoor(doors, index, waitsMs)
    while (!isOver()) {
      const isAnswered = await ask(caller, at)
      if (!isAnswered && doors.length === 1) break
      if (isAnswered && !random.isOneIn(staysFor)) continue
      at.link.close()
      at = openDoor(doors, (index += 1), waitsMs)
      if (!isAnswered) await sleep(pauseMs)
    }
    at.link.close()
  }

  const pools = site.tokens.flatMap((_, client) => [
    { client, keyed: [], send: sendDirect },
    { client, keyed: [], send: sendByGate },
  ])
  const isGated = doors.every(({ gateUrl }) => gateUrl !== undefined)
  const callers = Array.from({ length: isGated ? allCallers : directCallers }, (_, door) => {
    const ways = pools.filter(({ send }) => (send === sendDirect) === door < directCallers)
    return { ...random.pick(ways), again: [], door }
  })

  /** @throws unless it is signed, now or before. */
  async function sign(ask: Ask, door = 0): Promise<void> {
    const at = openDoor(doors, door)
    const signed = await sendDirect(ask, at).finally(() => at.link.close())
    if (!signed) throw new Error("the vault doesn't sign any more")
  }

  return {
    counts,
    async run(ended) {
      let isOver = false
      void ended.then(() => (isOver = true))
      await Promise.all(callers.map((caller) => loop(caller, () => isOver)))
    },
    async signOne() {
      const before = checker.signatures()
      await sign(asks.cancel(0))
      if (checker.signatures() !== before + 1) throw new Error("the vault doesn't sign any more")
    },
    async repeatAtEach() {
      for (const [first] of doors.entries()) {
        const ask = asks.cancel(0, `at-each-${first}`)
        for (const [index] of doors.entries()) await sign(ask, first + index)
      }
    },
    async fillCaps() {
      const symbols = asks.symbols()
      const fill = async (_: Door, index: number): Promise<void> => {
        const at = openDoor(doors, index)
        for (const symbol of symbols) while (await sendDirect(asks.smallest(symbol), at));
        at.link.close()
      }
      await Promise.all(doors.map(fill))
      return symbols.length
    },
  }
}

function openDoor(doors: readonly Door[], index: number, waitsMs = patienceMs): At {
  const door = doors[index % doors.length]
  if (door === undefined) throw new Error("there is no host to ask")
  const options = { deadlineMs: doors.length > 1 ? waitsMs : alonePatienceMs }
  return { door, link: connectBotLink(door.botSocket, options) }
}

/** Resolves with whether it is signed. @throws {Fault} when nobody knows. */
type Send = (ask: Ask, at: At) => Promise<boolean>

/** The ways to ask: the vault itself, and the gate before it. */
function senders(
  { checker, onSigned }: Parts,
  refused: (code: string, ask: Ask) => void,
): readonly [Send, Send] {
  async function sendDirect(ask: Ask, { link, door }: At): Promise<boolean> {
    const { token, path, key, idempotencyKey, client } = ask
    const body = Buffer.from(JSON.stringify(ask.body)).toString("base64")
    const call = { token, path, body, key, idempotencyKey, purpose: "return" } as const
    const answer = await link.call("sign", call)
    if (answer.kind === "refused") refused(answer.refusal.code, ask)
    if (answer.kind === "refused") return false
    if (answer.kind !== "answer") throw new Error("what was never sent has an answer of the venue")
    const held = idempotencyKey && `${client}/${idempotencyKey}`
    checker.hold({ ...answer, idempotencyKey: held })
    onSigned?.(door)
    return true
  }

  async function sendByGate(ask: Ask, { door }: At): Promise<boolean> {
    const { token, path, key, idempotencyKey } = ask
    const response = await fetch(`${door.gateUrl ?? ""}${path}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Countersign-Key": key,
        ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
      },
      body: JSON.stringify(ask.body),
    })
    const text = await response.text()
    if (response.headers.get("countersign-source") === "venue") {
      onSigned?.(door)
      return true
    }
    const { code } = JSON.parse(text) as { code: string }
    if (isUnanswered(code)) throw new Fault(code, "through the gate")
    refused(code, ask)
    return false
  }

  return [sendDirect, sendByGate]
}

/** The vault has ended, or is about to: nobody knows what became of the request. */
function isUnanswered(code: string): code is "vault_unavailable" | "ledger_unavailable" {
  return code === "vault_unavailable" || code === "ledger_unavailable"
}
