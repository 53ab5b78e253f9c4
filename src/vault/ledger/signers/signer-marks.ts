import { join } from "node:path"

import { Fault } from "../../../std/fault.ts"
import { oneAtATime } from "../../../std/one-at-a-time.ts"
import type { Address } from "../../../venue/address.ts"
import type { JournalHead } from "../store/audit-queries.ts"
import { openMarkFile, type Mark, type MarkFile } from "./mark-file.ts"
import { prepareSignerDir, lockSigner, type SignerLock } from "./signer-lock.ts"

/**
 * What keeps a signer to one daemon and its nonces above all earlier ones even when the ledger is an older
 * copy: a lock and a mark for each, outside of the state directory and of every backup of it.
 */
export type SignerMarks = Pick<OpenMarks, keyof OpenMarks>

/** What the marks ask of the ledger. */
export type LedgerStanding = {
  /** Its name. */
  readonly ledger: string
  /** The last entry that is durable. */
  head(): JournalHead
  /** Whether it has that entry, or has archived it. */
  has(head: JournalHead): Promise<boolean>
  /** The last nonce that was taken. */
  lastNonce(signer: Address): number | undefined
  /** Whether other hosts sign by it too. */
  readonly isShared: boolean
}

/** How far ahead of its nonces a mark is written: under load it is written about twice a second. */
export const leaseNonces = 1_000

/** For a ledger that is opened without: tests, and looks at it. */
export const noMarks: SignerMarks = {
  /** A new one each time: one for all would keep every ledger that waits for it. */
  get broken() {
    return new Promise<Fault>(() => undefined)
  },
  claim: () => Promise.resolve(0),
  assertUsable: () => undefined,
  assertNoneWaits: () => undefined,
  cover: () => Promise.resolve(),
  waiting: () => [],
  unmarked: () => [],
  accept: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

type Claimed = {
  readonly signer: Address
  readonly lock: SignerLock
  readonly file: MarkFile
  readonly isUnmarked: boolean
  mark: Mark
  /** The highest nonce that was asked for. */
  askedNonce: number
  writing: Promise<void> | undefined
}

/** Takes a signer's lock and opens its mark. @throws {Fault} */
export type OpenSigner = (
  signer: Address,
) => Promise<{ readonly lock: SignerLock; readonly file: MarkFile }>

/** Keeps locks and marks in `directory`. @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`. */
export function signersIn(directory: string): OpenSigner {
  return async (signer) => {
    await prepareSignerDir(directory)
    const lock = lockSigner(join(directory, `${signer}.lock`), signer)
    try {
      return { lock, file: await openMarkFile(join(directory, `${signer}.mark`)) }
    } catch (error) {
      lock.release()
      throw error
    }
  }
}

/** Keeps the marks that `open` opens. */
export function openSignerMarks(open: OpenSigner, standing: LedgerStanding): SignerMarks {
  return new OpenMarks(open, standing)
}

/** Owns the locks and the open marks, and must be closed. */
class OpenMarks {
  /** Resolves with the fault of a mark that can't be written any more. */
  readonly broken: Promise<Fault>
  readonly #tellBroken: (fault: Fault) => void
  readonly #open: OpenSigner
  readonly #claimed = new Map<Address, Claimed>()
  readonly #inTurn = oneAtATime()
  #standing: LedgerStanding
  #fault: Fault | undefined

  constructor(open: OpenSigner, standing: LedgerStanding) {
    this.#open = open
    this.#standing = standing
    const { promise, resolve } = Promise.withResolvers<Fault>()
    this.broken = promise
    this.#tellBroken = resolve
  }

  /**
   * Takes a signer's lock, reads its mark and returns the nonce above which it goes on. 0 where that was done before.
   *
   * @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`, `ledger_unusable`.
   */
  claim(signer: Address): Promise<number> {
    return this.#inTurn(async () => {
      const known = this.#claimed.get(signer)
      if (known !== undefined) return 0 // its nonces go on above it already
      const of = await claimSigner(this.#open, signer, this.#standing)
      this.#claimed.set(signer, of)
      return of.mark.nonce
    })
  }

  /** @throws {Fault} `restore_unaccepted` when the signer waits; `ledger_unavailable` when a mark can't be written, or it isn't claimed. */
  assertUsable(signer: Address): void {
    if (this.#fault !== undefined) throw this.#fault
    if (this.#claimed.get(signer)?.mark.waits !== false) throw this.#notUsable(signer)
  }

  /** As {@link assertUsable}, for what was signed before. */
  assertNoneWaits(): void {
    if (this.#fault !== undefined) throw this.#fault
    for (const { signer, mark } of this.#claimed.values()) {
      if (mark.waits) throw this.#notUsable(signer)
    }
  }

  /** Resolves once the mark says durably that `nonce` may have been given out. */
  cover(signer: Address, nonce: number): Promise<void> {
    const of = this.#claimed.get(signer)
    if (of === undefined) return Promise.reject(this.#notUsable(signer))
    of.askedNonce = Math.max(of.askedNonce, nonce)
    const leftNonces = of.mark.nonce - nonce
    if (leftNonces < 0) return this.#coverSlowly(of, nonce)
    // Ahead of need, so that a busy signer never waits for it.
    if (leftNonces < leaseNonces / 2 && of.writing === undefined) {
      of.writing = this.#extend(of)
      of.writing.catch(() => undefined)
    }
    return Promise.resolve()
  }

  /** The signers whose ledger was restored, and waits for an operator's word; each with the nonce that it goes on above. */
  waiting() {
    return [...this.#claimed.values()].flatMap(({ signer, mark }) =>
      mark.waits ? [{ signer, nonce: mark.nonce }] : [],
    )
  }

  /** Those that have signed by this ledger alone, and had no mark here: it may be a copy of one that goes on elsewhere. */
  unmarked(): readonly Address[] {
    const unmarked = [...this.#claimed.values()].filter((each) => each.isUnmarked)
    return unmarked.map(({ signer }) => signer)
  }

  /** Those that wait go on under this ledger's new name, which is durable. */
  accept(ledger: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#standing = { ...this.#standing, ledger }
      for (const of of this.#claimed.values()) {
        await of.writing
        await writeMark(of, { ...of.mark, ledger, ...this.#standing.head(), waits: false })
      }
    })
  }

  /** Writes down how far the ledger came, and gives the locks back. */
  close(end: "whole" | "broken"): Promise<void> {
    return this.#inTurn(async () => {
      for (const of of this.#claimed.values()) {
        await of.writing?.catch(() => undefined)
        if (end === "whole" && this.#fault === undefined) await closeMark(of, this.#standing)
        await of.file.close()
        of.lock.release()
      }
      this.#claimed.clear()
    })
  }

  async #coverSlowly(of: Claimed, nonce: number): Promise<void> {
    while (of.mark.nonce < nonce) await (of.writing ??= this.#extend(of))
  }

  /** One write at a time; what is asked meanwhile shares the next. */
  async #extend(of: Claimed): Promise<void> {
    const { ledger } = this.#standing
    const nonce = of.askedNonce + leaseNonces
    try {
      await writeMark(of, { ...of.mark, ledger, ...this.#standing.head(), nonce })
    } catch (error) {
      // Nobody knows what it says now: nothing is signed until a restart has read it.
      this.#fault ??= error instanceof Fault ? error : new Fault("internal", String(error))
      this.#tellBroken(this.#fault)
      throw this.#fault
    } finally {
      of.writing = undefined
    }
  }

  #notUsable(signer: Address): Fault {
    if (this.#claimed.has(signer)) return new Fault("restore_unaccepted", restoredSentence)
    const message = `The signer ${signer} hasn't been claimed by this daemon; restart Countersign.`
    return new Fault("ledger_unavailable", message)
  }
}

async function writeMark(of: Claimed, mark: Mark): Promise<void> {
  await of.file.write(mark)
  of.mark = mark
}

async function claimSigner(
  open: OpenSigner,
  signer: Address,
  standing: LedgerStanding,
): Promise<Claimed> {
  const { lock, file } = await open(signer)
  try {
    const found = await file.read()
    const mark = await markAtStart(found, signer, standing)
    await file.write(mark)
    const hasSigned = standing.lastNonce(signer) !== undefined
    const isUnmarked = found === undefined && hasSigned && !standing.isShared
    const askedNonce = mark.nonce - leaseNonces
    return { ...{ signer, lock, file, isUnmarked, mark, askedNonce }, writing: undefined }
  } catch (error) {
    await file.close()
    lock.release()
    throw error
  }
}

/** A ledger that lacks an entry which the mark knows, or isn't the one it knows, was restored or exchanged. */
async function markAtStart(
  found: Mark | undefined,
  signer: Address,
  standing: LedgerStanding,
): Promise<Mark> {
  const { ledger } = standing
  const nonce = Math.max(found?.nonce ?? 0, standing.lastNonce(signer) ?? 0)
  const usual = { ledger, ...standing.head(), nonce, waits: false }
  if (found === undefined) return usual
  const isSame = !found.waits && found.ledger === ledger && (await standing.has(found))
  return isSame ? usual : { ...found, nonce, waits: true }
}

/** All is durable, so the mark can say exactly how far it came. One that waits stays as it is. */
async function closeMark({ mark, file, signer }: Claimed, standing: LedgerStanding): Promise<void> {
  if (mark.waits) return
  const { ledger } = standing
  const nonce = standing.lastNonce(signer) ?? mark.nonce
  // A disk that refuses leaves the mark further ahead than it need be.
  await file.write({ ledger, ...standing.head(), nonce, waits: false }).catch(() => undefined)
}

/** What an operator is told while signers wait. */
export const restoredSentence =
  "This ledger is older than what its signers have signed, or another one than theirs: it was restored or exchanged. Nothing is signed until countersign ledger accept-restore."
