import { Fault } from "../../../std/fault.ts"
import { momentIn, passedSince } from "../../../std/time/moment.ts"
import type { IdempotencyKey } from "../records/idempotency.ts"
import type { JournalRow } from "../records/row.ts"
import { closedFault, type CommitQueue } from "../sqlite/commit-queue.ts"
import type { FollowedRows } from "../sqlite/worker-messages.ts"
import type { SnapshotStep } from "../store/meter-queries.ts"
import type {
  Hearing,
  LedgerStore,
  Others,
  RunQuery,
  StoreTurn,
  Timed,
  Written,
} from "../store/store.ts"
import { Baton } from "./baton.ts"
import type { TurnKeeper } from "./turn-keeper.ts"

/** How old what was decided may be when it comes out: others count on it (`quietMs`). */
const releaseWithinMs = 2_000
/** The same where the gate hands it on: a vault that stood still just after it had looked at the time gives it out late. */
const handedOnWithinMs = 2_250
/** How soon an idle host follows what others do. */
const visitMs = 1_000
/** After how many such visits it asks which hosts are there. */
const listenVisits = 5

/**
 * The copy of one host among several. Whatever it appends, it appends in its turn, having followed all that others
 * appended before; and nothing comes out but behind a commit of that turn.
 */
export class FleetStore implements LedgerStore {
  readonly broken: Promise<Fault>
  readonly commits: LedgerStore["commits"]
  readonly replica: LedgerStore["replica"]
  readonly others: Others
  readonly nonces: LedgerStore["nonces"]
  readonly #copy: CommitQueue
  readonly #turns: TurnKeeper
  readonly #baton: Baton
  readonly #visits: NodeJS.Timeout
  #hearing: Hearing | undefined
  #isInStep = false
  #keptMs = -Infinity
  #visited = 0

  constructor(copy: CommitQueue, turns: TurnKeeper) {
    this.#copy = copy
    this.#turns = turns
    this.broken = copy.broken
    this.nonces = copy.nonces
    this.replica = turns
    this.commits = {
      read: () => ({ ...copy.commits.read(), fleet: turns.watch.read(copy.head().seq) }),
    }
    this.#baton = new Baton(
      {
        take: async () => {
          await turns.take((rows) => this.#follow(rows))
          this.#keepTime()
        },
        give: () => turns.give(),
        isWanted: () => turns.isWanted(),
        othersAreActive: () => turns.othersAreActive(),
        settled: async () => this.#hearing?.settled(),
      },
      (error) => copy.break(error),
    )
    turns.onWanted(() => this.#baton.want())
    void copy.broken.then((fault) => this.#end(fault))
    this.#visits = setInterval(() => this.#visit(), visitMs).unref()
    this.others = {
      attend: (hearing) => (this.#hearing = hearing),
      quiet: () => turns.quiet(),
      timed,
      tellHeard: (clients) => turns.tellHeard(clients),
    }
  }

  async turn<Out>(
    keys: readonly IdempotencyKey[],
    step: (turn: StoreTurn) => Out | Promise<Out>,
  ): Promise<Out> {
    this.assertOpen()
    await this.#baton.enter()
    try {
      let isRepeat = false as boolean // changed in the step
      const out = await this.#copy.turn(keys, (turn) => {
        isRepeat = keys.some((key) => turn.found(key)?.row.kind === "request")
        return this.#inStep(() => step(turn))
      })
      if (isRepeat) await this.#turns.confirm()
      return out
    } finally {
      this.#baton.leave()
    }
  }

  /** Keeps when PostgreSQL was reached last, by the clock that a commit keeps. Where it can't, the copy says so. */
  #keepTime(): void {
    const nowMs = performance.now()
    if (nowMs < this.#keptMs + visitMs) return
    this.#keptMs = nowMs
    this.#copy.run("probe", Date.now()).catch(() => undefined)
  }

  #visit(): void {
    this.#baton.visit()
    this.#visited += 1
    // What it can't hear ends the store elsewhere.
    if (this.#visited % listenVisits === 0) this.#turns.listen().catch(() => undefined)
  }

  #inStep<Out>(step: () => Out): Out {
    this.#isInStep = true
    try {
      return step()
    } finally {
      this.#isInStep = false
    }
  }

  append(row: JournalRow): Promise<Written> {
    return this.#isInStep ? this.#appendNow(row) : this.turn([], () => this.#appendNow(row))
  }

  async #appendNow(row: JournalRow): Promise<Written> {
    this.#baton.stay()
    try {
      return await this.#copy.append(row)
    } finally {
      this.#baton.leave()
    }
  }

  run: RunQuery = (name, ...args) => {
    const run = () => this.#copy.run(name, ...args)
    return name === "signCheckpoint" ? this.turn([], run) : run()
  }

  /** What the rows change is followed in the turn in which they are queued, as of rows of this host's own. */
  #follow({ rows, head }: FollowedRows): void {
    const heard = rows.map((row) => this.#hearing?.followed(row))
    this.#copy.follow({ rows, head }).then(
      (written) => written.forEach((each, index) => heard[index]?.(each)),
      () => undefined, // the copy is broken, and says so
    )
  }

  assertOpen: LedgerStore["assertOpen"] = () => this.#copy.assertOpen()
  head: LedgerStore["head"] = () => this.#copy.head()
  keepClock: LedgerStore["keepClock"] = (read) => this.#copy.keepClock(read)

  async close(lastSteps?: () => readonly SnapshotStep[]): Promise<"whole" | "broken"> {
    clearInterval(this.#visits)
    // In a turn: nothing is being followed then, so the last snapshot holds what is in the journal.
    await this.#baton.enter().catch(() => undefined)
    await this.#hearing?.settled() // whoever has it next may say that nothing more comes
    const end = await this.#copy.close(lastSteps)
    this.#end(closedFault())
    return end
  }

  #end(fault: Fault): void {
    clearInterval(this.#visits)
    this.#baton.end(fault)
  }
}

function timed(): Timed {
  const decided = momentIn(0)
  return {
    outBy: momentIn(handedOnWithinMs),
    assertInTime() {
      if (passedSince(decided) <= releaseWithinMs) return
      throw new Fault(
        "ledger_unavailable",
        "The ledger took too long, so what was decided isn't given out; ask again, with the same idempotency key if there is one.",
      )
    },
  }
}
