import { connectBotLink, type BotLink } from "../../src/link/client.ts"
import { Fault } from "../../src/std/fault.ts"
import { unitPrice, type CrashSite } from "./crash-site.ts"
import type { OutsideChecker } from "./outside-checker.ts"
import type { SeededRandom } from "./seeded-random.ts"

const ordersPath = "/v1/trade/orders"
const cancelPath = "/v1/trade/orders/cancel"

/** How many callers speak to the vault itself, and how many there are with those who use the gate. */
const directCallers = 8
const allCallers = 12

/** Keys that are asked again are among so many last ones. */
const rememberedKeys = 60

/** Bots that never stop asking, and ask again what got no answer. */
export type CrashLoad = {
  /** Asks from many callers at once until `ended` resolves. */
  run(ended: Promise<unknown>): Promise<void>
  /** Has one request signed. @throws when it isn't. */
  signOne(): Promise<void>
  readonly counts: LoadCounts
}

export type LoadCounts = {
  requests: number
  repeats: number
  /** Requests that got no answer. */
  lost: number
  readonly refusals: Map<string, number>
}

type Ask = {
  readonly token: string
  readonly client: string
  readonly path: string
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  readonly idempotencyKey: string | undefined
}

/** What one caller did, so that it can be asked again. */
type Caller = {
  readonly client: number
  /** Asks with a key, newest last. */
  readonly keyed: Ask[]
  /** Those that got no answer. */
  readonly again: Ask[]
  send(ask: Ask, link: BotLink): Promise<void>
}

type Parts = {
  readonly site: CrashSite
  /** Left out, nobody asks through a gate. */
  readonly gateUrl?: string
  readonly random: SeededRandom
  readonly checker: OutsideChecker
}

/** Makes the callers; two clients share them, and each shares its keys among its callers. */
export function createCrashLoad(parts: Parts): CrashLoad {
  const { site, random, checker } = parts
  const counts: LoadCounts = { requests: 0, repeats: 0, lost: 0, refusals: new Map() }
  const asks = createAsks(parts)

  async function sendDirect(ask: Ask, link: BotLink): Promise<void> {
    const { token, path, key, idempotencyKey, client } = ask
    const body = Buffer.from(JSON.stringify(ask.body)).toString("base64")
    const call = { token, path, body, key, idempotencyKey, purpose: "return" } as const
    const answer = await link.call("sign", call)
    if (answer.kind === "answer") {
      const held = idempotencyKey && `${client}/${idempotencyKey}`
      checker.hold({ ...answer, idempotencyKey: held })
    } else if (answer.kind === "refused") refused(answer.refusal.code, ask)
    else throw new Error("what was never sent has an answer of the venue")
  }

  async function sendByGate(ask: Ask): Promise<void> {
    const { token, path, key, idempotencyKey } = ask
    const response = await fetch(`${parts.gateUrl ?? ""}${path}`, {
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
    if (response.headers.get("countersign-source") === "venue") return
    const { code } = JSON.parse(text) as { code: string }
    if (isUnanswered(code)) throw new Fault(code, "through the gate")
    refused(code, ask)
  }

  function refused(code: string, ask: Ask): void {
    counts.refusals.set(code, (counts.refusals.get(code) ?? 0) + 1)
    if (code === "limit_exhausted") asks.spent(ask.body["symbol_id"] as number)
  }

  async function loop(caller: Caller, isOver: () => boolean): Promise<void> {
    const link = connectBotLink(site.botSocket, { deadlineMs: 5_000 })
    while (!isOver()) {
      const { ask, isRepeat } = asks.next(caller)
      counts.requests += 1
      if (isRepeat) counts.repeats += 1
      try {
        await caller.send(ask, link)
      } catch (error) {
        if (!(error instanceof Fault && isUnanswered(error.code))) throw error
        counts.lost += 1
        if (ask.idempotencyKey !== undefined) caller.again.push(ask)
        break
      }
    }
    link.close()
  }

  const pools = site.tokens.flatMap((_, client) => [
    { client, keyed: [], again: [], send: sendDirect },
    { client, keyed: [], again: [], send: sendByGate },
  ])
  const callers = Array.from(
    { length: parts.gateUrl === undefined ? directCallers : allCallers },
    (_, index): Caller => {
      const ways = pools.filter(({ send }) => (send === sendDirect) === index < directCallers)
      return { ...random.pick(ways), again: [] }
    },
  )
  return {
    counts,
    async run(ended) {
      let isOver = false
      void ended.then(() => (isOver = true))
      await Promise.all(callers.map((caller) => loop(caller, () => isOver)))
    },
    async signOne() {
      const link = connectBotLink(site.botSocket)
      const before = checker.signatures()
      await sendDirect(asks.cancel(0), link)
      link.close()
      if (checker.signatures() !== before + 1) throw new Error("the vault doesn't sign any more")
    },
  }
}

/** The vault has ended, or is about to: nobody knows what became of the request. */
function isUnanswered(code: string): code is "vault_unavailable" | "ledger_unavailable" {
  return code === "vault_unavailable" || code === "ledger_unavailable"
}

type Asks = {
  next(caller: Caller): { readonly ask: Ask; readonly isRepeat: boolean }
  cancel(client: number): Ask
  /** A limit of this symbol is spent. */
  spent(symbolId: number): void
}

/** Makes requests: orders of the symbol whose cap isn't reached yet, cancels, repeats. */
function createAsks({ site, random }: Parts): Asks {
  let symbolAt = 0
  let count = 0

  function asker(client: number): Pick<Ask, "token" | "client" | "key"> {
    const name = ["one", "two"][client] ?? ""
    return { token: site.tokens[client] ?? "", client: name, key: random.pick(["shared", name]) }
  }

  function fresh(client: number, idempotencyKey: string | undefined): Ask {
    if (random.isOneIn(8)) return { ...cancel(client), idempotencyKey }
    const body = order(site.symbolIds[symbolAt] ?? 0, 1 + random.below(9))
    return { ...asker(client), path: ordersPath, body, idempotencyKey }
  }

  function cancel(client: number): Ask {
    count += 1
    const body = { order_id: `${count}` }
    return { ...asker(client), path: cancelPath, body, idempotencyKey: undefined }
  }

  function repeat({ again, keyed }: Caller): Ask | undefined {
    const lost = again.pop()
    if (lost !== undefined) return lost
    if (keyed.length === 0 || !random.isOneIn(4)) return undefined
    const ask = random.pick(keyed)
    // Another request under the same key: a conflict, if the first one was ever recorded.
    return random.isOneIn(5) ? { ...ask, body: { ...ask.body, ...otherPart(ask) } } : ask
  }

  return {
    next(caller) {
      const again = repeat(caller)
      if (again !== undefined) return { ask: again, isRepeat: true }
      count += 1
      const isKeyed = random.isOneIn(2)
      const ask = fresh(caller.client, isKeyed ? `key-${count}` : undefined)
      if (isKeyed) caller.keyed.push(ask)
      if (caller.keyed.length > rememberedKeys) caller.keyed.shift()
      return { ask, isRepeat: false }
    },
    cancel,
    spent(symbolId) {
      // Only now and then, so that many ask for what is spent.
      if (symbolId !== site.symbolIds[symbolAt] || !random.isOneIn(8)) return
      symbolAt = Math.min(symbolAt + 1, site.symbolIds.length - 1)
    },
  }
}

function otherPart({ path }: Ask): Readonly<Record<string, unknown>> {
  return path === cancelPath ? { order_id: "other" } : { quantity: "10" }
}

function order(symbolId: number, quantity: number): Readonly<Record<string, unknown>> {
  return {
    symbol_id: symbolId,
    is_buy: true,
    order_type: "limit",
    price: `${unitPrice}`,
    quantity: `${quantity}`,
  }
}
