import { randomBytes } from "node:crypto"
import { channel } from "node:diagnostics_channel"
import { setTimeout as sleep } from "node:timers/promises"

import { Fault } from "../../../std/fault.ts"
import { oneAtATime } from "../../../std/one-at-a-time.ts"
import type { PostgresLedger } from "../../config/ledger-config.ts"
import type { LedgerKey } from "../store/audit-queries.ts"
import type { FollowedRows } from "../sqlite/worker-messages.ts"
import type { AppendedRows, Head, Replica } from "../store/store.ts"
import { followBatch, sealBatch, type Hosts } from "./batch.ts"
import { assertHead, type CaughtUp } from "./catch-up.ts"
import { FleetWatch } from "./fleet-watch.ts"
import { lookAtServer, sessionAges } from "./server-look.ts"
import { quietMs } from "./server-sql.ts"
import { addBatch, assertReplicated, batchesAfter, hex, type Reached } from "./tables.ts"
import { countBeats, giveTurn, isTurnWanted, takeTurn, touchHead, type Turn } from "./turns.ts"

type TurnKeeperAsk = CaughtUp &
  Pick<PostgresLedger, "host" | "replicas" | "commitTimeoutMs"> & {
    /** Which hosts' batches are followed, this one's among them. */
    readonly hosts: Hosts
    readonly key: LedgerKey
  }

/** How long the turn of one that doesn't answer is waited for. */
const longestPatienceMs = 1_000
/** After this long without its turn, and nothing to follow, a host looks for another way to the server. */
const longestWaitMs = 10_000
/**
 * How far this host's clock may be from the server's. Two hosts are twice as far apart at most, which must be well below
 * how far a nonce may lie ahead of the clock: else the host that is behind could sign nothing for a signer of both.
 */
export const maxSkewMs = 250
/** For how long others count as active. */
const activeMs = 1_000

/** Where it is said what is over of a turn, in this order; `sealed` for each batch. Nobody may be listening. */
const stages: {
  publish(over: { readonly stage: "taken" | "followed" | "sealed" | "given" }): void
} = channel("countersign.turn")

/** One host's part in the order that PostgreSQL keeps: taking turns, and appending in them. */
export class TurnKeeper implements Replica {
  readonly ended: Promise<Fault>
  readonly watch: FleetWatch
  readonly #reached: Reached
  readonly #ask: TurnKeeperAsk
  /** Of this session alone: a host that starts again is told that the one before broke off. */
  readonly #me: string
  readonly #inOrder = oneAtATime()
  #head: Head
  #beats: ReadonlyMap<string, number> = new Map()
  #confirming: Promise<void> | undefined
  #doubt: Fault | undefined
  #wanted: () => void = () => undefined
  #othersAtMs = -Infinity
  /** A session of ours that broke off is as good as another's; and another server may know of none. */
  #quietAtMs = performance.now() + quietMs

  constructor(reached: Reached, ask: TurnKeeperAsk) {
    this.#reached = reached
    this.#ask = ask
    this.#me = `${ask.host} ${randomBytes(8).toString("hex")}`
    this.#head = ask.head
    this.ended = reached.session.ended
    this.watch = new FleetWatch([...ask.hosts.keys()].filter((name) => name !== ask.host))
  }

  /** Tells `wanted` when a commit hears that another host waits for the turn. */
  onWanted(wanted: () => void): void {
    this.#wanted = wanted
  }

  /**
   * Takes the turn. What others appended since is checked, and goes to `follow` batch by batch.
   *
   * @throws {Fault} `ledger_unavailable`, `ledger_unusable`.
   */
  async take(follow: (rows: FollowedRows) => void): Promise<void> {
    const askedMs = performance.now()
    let movedMs = askedMs
    for (;;) {
      const turn = await this.#askForTurn()
      if (turn.outcome !== "late") this.#followAll(turn, follow)
      if (turn.outcome === "taken") {
        await this.#followRest(turn, follow)
        assertHead(this.#head, turn.head)
        this.watch.taken(askedMs)
        stages.publish({ stage: "followed" })
        return
      }
      // Who has much to follow, as after a restore, comes nearer by each of these.
      if (turn.outcome === "behind" && turn.batches.length > 0) movedMs = performance.now()
      else if (performance.now() > movedMs + longestWaitMs) {
        throw new Fault(
          "ledger_unavailable",
          `This host didn't get its turn in ${longestWaitMs / 1_000} s; nothing is signed until it does.`,
        )
      }
    }
  }

  async #askForTurn(): Promise<Turn> {
    const patienceMs = Math.min(longestPatienceMs, this.#ask.commitTimeoutMs / 2)
    const ask = { me: this.#me, known: this.#head.seq, patienceMs }
    const askedMs = Date.now()
    const turn = await this.#inOrder(() => takeTurn(this.#reached.session, ask))
    if (turn.outcome === "late") return turn
    this.#assertReplicated(turn.standbys)
    assertSameTime(turn.serverMs, { fromMs: askedMs, toMs: Date.now() })
    // It can't take longer, whatever has become of the server's clock.
    const leftMs = Math.min(turn.quietMs, quietMs)
    this.#quietAtMs = Math.max(this.#quietAtMs, performance.now() + leftMs)
    if (turn.outcome === "taken") stages.publish({ stage: "taken" })
    return turn
  }

  #followAll({ batches }: Pick<Turn, "batches">, follow: (rows: FollowedRows) => void): void {
    const { hosts, host } = this.#ask
    const ledger = this.#reached.ledger.name
    for (const batch of batches) {
      if (batch.host === host) throw overtaken()
      const reading = { previous: this.#head, ledger, hosts, host, latestMs: this.#ask.latestMs() }
      followBatch(batch, reading, follow)
      this.#head = batch.head
      this.#othersAtMs = performance.now()
    }
  }

  /** Large batches come in further pages. */
  async #followRest(
    { head }: Pick<Turn, "head">,
    follow: (rows: FollowedRows) => void,
  ): Promise<void> {
    while (this.#head.seq < head.seq) {
      const { session } = this.#reached
      const batches = await this.#inOrder(() => batchesAfter(session, this.#head.seq))
      if (batches.length === 0) return
      this.#followAll({ batches }, follow)
    }
  }

  /** What is given on counts as replicated. @throws {Fault} `ledger_unavailable` where it may not be. */
  async give(): Promise<void> {
    this.watch.given()
    await this.#inOrder(() => {
      if (this.#doubt !== undefined) throw this.#doubt
      return giveTurn(this.#reached.session, this.#me)
    })
    stages.publish({ stage: "given" })
  }

  #assertReplicated(standbys: readonly string[]): void {
    try {
      assertReplicated(standbys, this.#ask.replicas)
    } catch (error) {
      this.#doubt = error as Fault // it throws no other
      throw error
    }
  }

  /** Asks which hosts are there. */
  listen(): Promise<void> {
    return this.#inOrder(async () => this.watch.heard(await sessionAges(this.#reached.session)))
  }

  look(): Promise<string> {
    return this.#inOrder(async () => {
      const { host, hosts, replicas } = this.#ask
      const { seq, hash } = this.#head
      const here = { host, hosts: [...hosts.keys()], replicas, entry: seq, hash: hex(hash) }
      return JSON.stringify({ ...here, ...(await lookAtServer(this.#reached.session)) })
    })
  }

  /** Tells of clients that were heard here; resolves with those that any host heard since the last time. */
  async tellHeard(clients: readonly string[]): Promise<readonly string[]> {
    const before = this.#beats
    this.#beats = await this.#inOrder(() => countBeats(this.#reached.session, clients))
    return [...this.#beats]
      .filter(([client, beats]) => beats !== before.get(client))
      .map(([client]) => client)
  }

  silence = (): ReadonlyMap<string, number> => this.watch.silence()
  isWanted = (): Promise<boolean> => this.#inOrder(() => isTurnWanted(this.#reached.session))
  othersAreActive = (): boolean => performance.now() - this.#othersAtMs < activeMs

  /** Resolves once a commit that began after the call is durable: what was decided before it wasn't overtaken. */
  confirm(): Promise<void> {
    return (this.#confirming ??= this.#inOrder(async () => {
      this.#confirming = undefined
      this.#assertReplicated(await touchHead(this.#reached.session, this.#me))
    }))
  }

  append({ rows, head }: AppendedRows): Promise<void> {
    return this.#inOrder(async () => {
      const previous = this.#head
      if (head.seq !== previous.seq + rows.length) throw overtaken()
      const { host, hosts, key } = this.#ask
      const { name } = this.#reached.ledger
      const batch = sealBatch({ firstSeq: previous.seq + 1, head, host, rows }, name, key)
      stages.publish({ stage: "sealed" })
      const isShared = hosts.size > 1
      const added = await addBatch(this.#reached, batch, { previous, me: this.#me, isShared })
      if (added === undefined) throw overtaken()
      this.#assertReplicated(added.standbys)
      if (added.isTurnWanted) this.#wanted()
      this.#head = head
    })
  }

  /** Resolves once no other host gives anything out any more that it decided before the last turn here. */
  async quiet(): Promise<void> {
    await sleep(Math.max(0, this.#quietAtMs - performance.now()), undefined, { ref: false })
  }

  /** Ends the session, and gives the turn on before. */
  async close(): Promise<void> {
    await this.give().catch(() => undefined) // it has ended
    this.#reached.session.end()
  }
}

function overtaken(): Fault {
  return new Fault(
    "ledger_unavailable",
    "Another Countersign has added to the ledger in PostgreSQL.",
  )
}

/** Decisions count by their host's time, so hosts must have the same. */
function assertSameTime(serverMs: number, host: { fromMs: number; toMs: number }): void {
  const skewMs = Math.max(host.fromMs - serverMs, serverMs - host.toMs)
  if (skewMs <= maxSkewMs) return
  throw new Fault(
    "ledger_unavailable",
    `This host's clock and PostgreSQL's are ${skewMs} ms apart (${maxSkewMs} are allowed); set both by NTP.`,
  )
}
