import { Fault } from "../../../std/fault.ts"
import { momentIn, passedSince, type Moment } from "../../../std/time/moment.ts"
import type { PostgresLedger } from "../../config/ledger-config.ts"
import { openSqliteStore } from "../open-sqlite-store.ts"
import type { IdempotencyKey } from "../records/idempotency.ts"
import { isolatedNonces, type NonceShare } from "../records/nonce-share.ts"
import type { JournalRow, RequestRow } from "../records/row.ts"
import type { CommitQueue } from "../sqlite/commit-queue.ts"
import { prepareLedgerFile } from "../sqlite/database.ts"
import type {
  Isolated,
  LedgerStore,
  OpenedState,
  Queries,
  RunQuery,
  StoreTurn,
  Written,
} from "../store/store.ts"
import type { RelayDoor } from "./relay-door.ts"
import { utcText } from "../../../std/time/time-words.ts"

/** What is looked for among what was signed here first. */
const ownFirst: ReadonlySet<keyof Queries> = new Set(["find", "search"])

/** What changes nothing that another host decides by. */
const harmlessActs: ReadonlySet<string> = new Set([
  ...["started", "set_activated", "asked", "locked", "unlocked", "backed_up"],
])

/**
 * The ledger of a host that can't reach PostgreSQL. It takes cancels, which no limit counts, for a while: judged by what the
 * copy has, kept in a file of its own, with nonces that no other host gives out.
 */
class IsolatedStore implements LedgerStore {
  readonly broken: Promise<Fault>
  readonly commits: LedgerStore["commits"]
  readonly nonces: NonceShare
  readonly isolated: Isolated
  readonly replica: LedgerStore["replica"]
  readonly #copy: CommitQueue
  readonly #own: CommitQueue
  readonly #door: RelayDoor
  readonly #until: Moment

  constructor(
    { copy, own, door }: { copy: CommitQueue; own: CommitQueue; door: RelayDoor },
    { slot, nowMs, forMs }: Readonly<Record<"slot" | "nowMs" | "forMs", number>>,
  ) {
    this.#copy = copy
    this.#own = own
    this.#door = door
    this.#until = momentIn(forMs)
    this.broken = Promise.race([copy.broken, own.broken])
    this.commits = own.commits
    this.nonces = isolatedNonces(slot)
    const until = utcText(nowMs + forMs)
    const message = `This host can't reach PostgreSQL: until ${until} it signs only cancels that no limit counts and nobody must release. Send all else to another host.`
    this.isolated = isolatedBy(message)
    this.replica = {
      look: () => Promise.reject(new Fault("ledger_unavailable", message)),
      silence: () => new Map(),
    }
  }

  assertOpen(): void {
    if (passedSince(this.#until) >= 0) this.end(isolatedTooLong())
    this.#copy.assertOpen()
    this.#own.assertOpen()
  }

  async turn<Out>(
    keys: readonly IdempotencyKey[],
    step: (turn: StoreTurn) => Out | Promise<Out>,
  ): Promise<Out> {
    this.assertOpen()
    return this.#copy.turn(keys, (copy) =>
      this.#own.turn(keys, (own) => step({ found: (key) => own.found(key) ?? copy.found(key) })),
    )
  }

  async append(row: JournalRow): Promise<Written> {
    const written = await this.#own.append(row.kind === "request" ? apart(row) : row)
    if (written.kind === "written" || row.kind !== "outcome") return written
    throw new Fault(
      "ledger_unavailable",
      "This host can't reach PostgreSQL, and the request is from before that; tell it what became of it later.",
    )
  }

  run: RunQuery = async (name, ...args) => {
    type Result = ReturnType<Queries[typeof name]>
    if (name === "signCheckpoint") return false as Result // nothing new to sign
    if (name === "takeSnapshot") return undefined as Result // its journal lacks what was signed here
    if (name === "probe") return this.#own.run(name, ...args)
    const own = ownFirst.has(name) ? await this.#own.run(name, ...args) : undefined
    return own === undefined || isEmpty(own) ? this.#copy.run(name, ...args) : own
  }

  head: LedgerStore["head"] = () => this.#copy.head()
  keepClock: LedgerStore["keepClock"] = (read) => this.#own.keepClock(read)

  /** Without a last snapshot: it would hold what meters counted, and the copy's journal hasn't all of it. */
  async close(): Promise<"whole" | "broken"> {
    this.#door.close()
    const ends = await Promise.all([this.#own.close(), this.#copy.close()])
    return ends.includes("broken") ? "broken" : "whole"
  }

  /** Ends it: the start that follows asks PostgreSQL again. */
  end(why: Fault): void {
    this.#own.break(why)
  }
}

function isolatedBy(message: string): Isolated {
  const data = { signs: "cancels", fix: "countersign doctor" } as const
  const stop = { code: "isolated", message, data } as const
  return {
    stop,
    // Only a cancel takes nothing that hosts share, and not each does.
    refuse({ lane, claims, release }) {
      const isFree = release === undefined && claims.every(({ mode }) => mode === "observe")
      return lane === "cancel" && isFree ? undefined : stop
    },
    assertTakes(act) {
      if (!harmlessActs.has(act)) throw untold()
    },
    lacking,
  }
}

function untold(): Fault {
  return new Fault(
    "ledger_unavailable",
    "This host can't reach PostgreSQL, so the other hosts wouldn't know of it: do this on one that reaches it.",
  )
}

/** A power loss may take the copy's end, which it gets from PostgreSQL again: nothing was restored. */
function lacking(): Fault {
  return new Fault(
    "ledger_unavailable",
    "This host's copy lacks what it signed last; it signs nothing until PostgreSQL is reached.",
  )
}

/** Without the sums of limits that count for ever: others add to them meanwhile. */
function apart(row: RequestRow): RequestRow {
  const { ever, ...others } = row
  return { ...(ever === undefined ? row : others), isolated: true }
}

function isEmpty(found: unknown): boolean {
  return Array.isArray(found) && found.length === 0
}

function isolatedTooLong(): Fault {
  return new Fault(
    "ledger_unavailable",
    "PostgreSQL wasn't reached for longer than ledger.isolated_cancels allows; nothing is signed until it is.",
  )
}

/** Opens it. `undefined` where it may not be, or not any more: the time counts from when PostgreSQL was reached last. */
export async function openIsolated(
  door: RelayDoor,
  {
    file,
    isolatedFile,
    slot,
    ...ask
  }: NonNullable<PostgresLedger["isolated"]> & {
    /** This host's copy. */
    readonly file: string
    readonly isolatedFile: string
    /** The time, which goes on while the files are opened. */
    now(): number
  },
) {
  await prepareLedgerFile(isolatedFile)
  const copy = await openSqliteStore(file, ask.now())
  const own = await openSqliteStore(isolatedFile, ask.now())
  const nowMs = ask.now()
  const [reachedMs, lastMs] = [lastCommitMs(copy.state), lastCommitMs(own.state)]
  const forMs = reachedMs + ask.forMs - nowMs
  if (nowMs < Math.max(reachedMs, lastMs) || forMs <= 0) {
    await Promise.all([copy.store.close(), own.store.close()])
    return undefined
  }
  const parts = { copy: copy.store, own: own.store, door }
  const store = new IsolatedStore(parts, { slot, nowMs, forMs })
  const lastNonces = new Map(copy.state.lastNonces)
  for (const [signer, nonce] of own.state.lastNonces) {
    lastNonces.set(signer, Math.max(nonce, lastNonces.get(signer) ?? 0))
  }
  return {
    ...{ store, state: { ...copy.state, lastNonces } },
    /** For how long it is taken. */
    forMs,
  }
}

function lastCommitMs({ identity: { clock } }: OpenedState): number {
  return clock?.wallMs ?? 0
}
