import { refusalSchema, type Refusal } from "../../../src/contract/refusal.ts"
import type { BotResults } from "../../../src/link/calls/methods.ts"
import { Fault } from "../../../src/std/fault.ts"
import type { JournalRow } from "../../../src/vault/ledger/records/row.ts"
import type { Asked } from "../asked.ts"
import type { Disk } from "../store/disk.ts"
import { policies } from "../site.ts"
import { checkRecord } from "./check-record.ts"
import { checkSignature } from "./check-signature.ts"
import { JournalReader } from "./journal.ts"
import { checkBelongs, Left, type Signed } from "./left.ts"
import { Promises } from "./promises.ts"
import { amountIn, hasSame, usedOf, whoseRoom } from "./sums.ts"

type Answer = BotResults["sign"]

/** What the checker knew when something was asked. */
export type Moment = {
  readonly atMs: number
  readonly rows: number
  readonly nonces: ReadonlyMap<string, number>
}

/** A row, and its place in the journal. */
export type Durable = { readonly row: JournalRow; readonly place: number }

/** When something was asked, and what is on its way to the disk as it is answered. */
type Around = { readonly since: Moment; readonly appended: readonly JournalRow[] }

/**
 * Stands outside of the vault: it sees what was asked, what left and when, and what is durable, and believes no
 * word of it. Throws at what the daemon promises and doesn't keep.
 */
export class Checker {
  readonly #disk: Disk
  #journal = new JournalReader()
  #copies = 0
  readonly promises = new Promises()
  readonly #left = new Left()

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** Reads on in what is durable by now. */
  readOn(): JournalReader {
    const entries = this.#disk.durable()
    if (this.#disk.copies !== this.#copies) {
      this.#copies = this.#disk.copies
      this.#journal = new JournalReader()
      const ids = new Set(entries.map(({ row }) => row.id))
      this.promises.keepOnly((id) => ids.has(id))
    }
    for (const { row } of entries.slice(this.#journal.rows)) {
      this.#journal.read(row, (recorded) => checkRecord(recorded, this.#journal))
    }
    return this.#journal
  }

  /** Now something is asked. */
  moment(atMs: number): Moment {
    return { atMs, rows: this.readOn().rows, nonces: this.#left.lastNonces() }
  }

  /** An answer leaves. `appended` are rows that are on their way to the disk. */
  answered(asked: Asked, answer: Answer, around: Around & { readonly isCalm: boolean }): void {
    if (answer.kind === "answer") this.#signed(asked, answer, around.since)
    if (answer.kind === "answered") this.#told(asked, answer)
    if (answer.kind === "refused") this.#refused(asked, answer.refusal, around)
  }

  #refused(asked: Asked, refusal: Refusal, around: Around & { readonly isCalm: boolean }): void {
    refusalSchema.parse(refusal)
    const { code, data } = refusal
    if (code === "idempotency_conflict") this.#conflict(asked, data.record)
    if (!around.isCalm) return
    if (code === "limit_exhausted") this.#exhausted(asked, data.limit, around)
    if (code === "policy_denied" && data.reason === "repeated_within") this.#repeated(asked, around)
  }

  /** A call came to no answer. Bots are told of few faults. */
  failed(error: unknown, codes: readonly string[]): string {
    if (error instanceof Fault && codes.includes(error.code)) return error.code
    throw error instanceof Error ? error : new Error(String(error))
  }

  /** The row that an act promised to have made durable since. */
  durableSince({ rows }: Moment, isIt: (row: JournalRow) => boolean): Durable {
    this.readOn()
    const entries = this.#disk.durable()
    const place = entries.findLastIndex(({ row }, index) => index >= rows && isIt(row))
    if (place < 0) throw new Error("an act was answered that isn't durable")
    return { place, row: entries[place]!.row }
  }

  #signed(asked: Asked, answer: Signed, since: Moment): void {
    const recorded = this.readOn().byRecord.get(answer.record)
    if (recorded === undefined) throw new Error("a signature left without a durable record")
    checkBelongs(asked, answer, recorded)
    checkSignature(asked, answer.body, recorded.row)
    this.promises.check({ asked, recorded, isRepeat: this.#left.has(answer.record) })
    this.#left.add(answer, recorded, since.nonces)
  }

  #told(asked: Asked, { record }: Extract<Answer, { readonly kind: "answered" }>): void {
    const recorded = this.readOn().byRecord.get(record)
    if (recorded === undefined) throw new Error("an answer was told of no record")
    const isKept = recorded.outcomes.some(({ answer }) => answer !== undefined)
    if (!isKept || asked.idempotency === undefined)
      throw new Error("an answer was told that nobody gave")
  }

  #conflict(asked: Asked, record: string): void {
    const row = this.readOn().byRecord.get(record)?.row
    if (row === undefined) throw new Error("a conflict with no record")
    const { client, key, path, purpose, body } = row
    const own = [asked.bot.name, asked.key, asked.path, asked.purpose, canonical(asked.fields)]
    if ([client, key, path, purpose, body].every((value, index) => value === own[index])) {
      throw new Error("a repeat was taken for a conflict")
    }
  }

  /** A limit refuses only what doesn't fit, as far as can be told from outside; 0.1 % of its window is what it may count longer. */
  #exhausted(asked: Asked, name: string, { appended, since }: Around): void {
    const limit = policies.flatMap(({ limits }) => limits).find((each) => each.name === name)
    if (limit === undefined) throw new Error(`there is no limit ${name}`)
    const all = this.#withAppended(appended)
    const whose = whoseRoom(limit, { client: asked.bot.name, key: asked.key })
    const slackMs = limit.windowMs / 1_000
    const used = usedOf(all.requests, { limit, whose, atMs: since.atMs, slackMs })
    const amount = amountIn(limit, asked)
    if (used + amount <= BigInt(limit.max)) {
      throw new Error(`${name} refused ${amount} with ${used} of ${limit.max} used`)
    }
  }

  /** Only what was signed without doubt, and lately, is refused as a repeat; and never a cancel, nor what has a key. */
  #repeated(
    { bot, key, path, fields, lane, idempotency }: Asked,
    { appended, since }: Around,
  ): void {
    const within = Math.max(...policies.map(({ repeatWithinMs = 0 }) => repeatWithinMs))
    const { requests } = this.#withAppended(appended)
    const ask = { client: bot.name, key, path, fields, sinceMs: since.atMs - within * 1.001 }
    if (lane === "cancel" || idempotency !== undefined || !hasSame(requests, ask)) {
      throw new Error("refused as a repeat what isn't one")
    }
  }

  /** All that is durable, and what is on its way to be. */
  #withAppended(appended: readonly JournalRow[]): JournalReader {
    const all = new JournalReader()
    for (const { row } of this.#disk.durable()) all.read(row)
    for (const row of appended) if (row.kind === "request") all.read(row)
    return all
  }
}

export function canonical(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))),
  )
}
