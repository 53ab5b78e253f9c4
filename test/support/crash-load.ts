import { setTimeout as sleep } from "node:timers/promises"

import { connectBotLink, type BotLink } from "../../src/contract/client.ts"
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

/** After so many answers of one, more or less, a caller turns to another as well: one that was started again is soon asked. */
const staysFor = 15

/** Bots that never stop asking, and ask again what got no answer. */
export type CrashLoad = {
  /** Asks from many callers at once until `ended` resolves. */
  run(ended: Promise<unknown>): Promise<void>
  /** Has one request signed. @throws when it isn't. */
  signOne(): Promise<void>
  /** Asks every host for what was asked with a key before. @throws when a signature isn't the one that it was. */
  repeatAtEach(): Promise<Repeated>
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

/** Repeats that got the same bytes, and that had expired. */
export type Repeated = { readonly same: number; readonly expired: number }

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
  /** How long a caller pauses between two asks, at most. */
  readonly longestPauseMs?: number
}

/** Makes the callers; two clients share them, and each shares its keys among its callers. */
export function createCrashLoad(parts: Parts): CrashLoad {
  const { site, doors, random, checker, longestPauseMs = 0 } = parts
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
      if (!isOfNoAnswer(error)) throw error
      counts.lost += 1
      if (ask.idempotencyKey !== undefined) caller.again.push(ask)
      return false
    }
  }

  const paused = async (): Promise<void> => {
    if (longestPauseMs > 0) await sleep(random.below(longestPauseMs))
  }

  async function loop(caller: Caller, isOver: () => boolean): Promise<void> {
    let index = caller.door
    const waitsMs = caller.door % patient === 0 ? longPatienceMs : undefined
    let at = openDoor(doors, index, waitsMs)
    while (!isOver()) {
      const isAnswered = await ask(caller, at)
      await paused()
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

  /** What is answered at a door; of several hosts one may have ended just then, and is asked anew. */
  async function answerAt(index: number, ask: Ask): Promise<string> {
    for (;;) {
      const at = openDoor(doors, index)
      try {
        return await sendDirect(ask, at)
      } catch (error) {
        if (doors.length === 1 || !isOfNoAnswer(error)) throw error
        await sleep(pauseMs)
      } finally {
        at.link.close()
      }
    }
  }

  /** Asks until a cap is spent; where an address's budget is, with another key's. */
  async function fill(symbol: number, index: number): Promise<void> {
    for (;;) {
      const answer = await answerAt(index, asks.smallest(symbol))
      if (answer === "limit_exhausted") return
      if (answer !== "signed" && answer !== addressSpent) throw new Error(answer)
    }
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
      await answerAt(0, asks.cancel(0))
      if (checker.signatures() !== before + 1) throw new Error("the vault doesn't sign any more")
    },
    async repeatAtEach() {
      const repeated = { same: 0, expired: 0 }
      const asked = pools.flatMap(({ send, keyed }) => (send === sendDirect ? keyed : []))
      for (const ask of asked) {
        for (const index of doors.keys()) {
          const answer = await answerAt(index, ask)
          if (answer === "signed") repeated.same += 1
          else if (answer === "idempotency_expired") repeated.expired += 1
          else if (!mayAnswerRepeat.has(answer)) throw new Error(`a repeat is told ${answer}`)
        }
      }
      return repeated
    },
    async fillCaps() {
      const symbols = asks.symbols()
      const fillAt = async (index: number): Promise<void> => {
        for (const symbol of symbols) await fill(symbol, index)
      }
      await Promise.all([...doors.keys()].map(fillAt))
      return symbols.length
    },
  }
}

/** The refusal of a request for whose address there is no room this minute. */
const addressSpent = "10029"

/** What was recorded under a key is another request, or nothing and there is no room. */
const mayAnswerRepeat = new Set([addressSpent, "idempotency_conflict", "limit_exhausted"])

function openDoor(doors: readonly Door[], index: number, waitsMs = patienceMs): At {
  const door = doors[index % doors.length]
  if (door === undefined) throw new Error("there is no host to ask")
  const options = { deadlineMs: doors.length > 1 ? waitsMs : alonePatienceMs }
  return { door, link: connectBotLink(door.botSocket, options) }
}

/** Resolves with `signed`, or the code of the refusal. @throws {Fault} when nobody knows. */
type Send = (ask: Ask, at: At) => Promise<string>

/** The ways to ask: the vault itself, and the gate before it. */
function senders(
  { checker, onSigned }: Parts,
  refused: (code: string, ask: Ask) => void,
): readonly [Send, Send] {
  async function sendDirect(ask: Ask, { link, door }: At): Promise<string> {
    const { token, path, key, idempotencyKey, client } = ask
    const body = Buffer.from(JSON.stringify(ask.body)).toString("base64")
    const call = { token, path, body, key, idempotencyKey, purpose: "return" } as const
    const answer = await link.call("sign", call)
    if (answer.kind === "refused") {
      refused(answer.refusal.code, ask)
      return answer.refusal.code
    }
    if (answer.kind !== "answer") throw new Error("what was never sent has an answer of the venue")
    const held = idempotencyKey && `${client}/${idempotencyKey}`
    checker.hold({ ...answer, idempotencyKey: held })
    onSigned?.(door)
    return "signed"
  }

  async function sendByGate(ask: Ask, { door }: At): Promise<string> {
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
      return "signed"
    }
    const { code } = JSON.parse(text) as { code: string }
    if (isUnanswered(code)) throw new Fault(code, "through the gate")
    refused(code, ask)
    return code
  }

  return [sendDirect, sendByGate]
}

function isOfNoAnswer(error: unknown): boolean {
  return error instanceof Fault && isUnanswered(error.code)
}

/** The vault has ended, or is about to: nobody knows what became of the request. */
function isUnanswered(code: string): code is "vault_unavailable" | "ledger_unavailable" {
  return code === "vault_unavailable" || code === "ledger_unavailable"
}
