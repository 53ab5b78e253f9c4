import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"

import { Fault } from "../../../std/fault.ts"
import { sha256Hex } from "../../../std/sha256.ts"

/** What is known of a signer outside its ledger. */
export type Mark = {
  /** The ledger that gave its nonces out. */
  readonly ledger: string
  /** That ledger had this entry, durable. */
  readonly seq: number
  /** Of that entry, hex. */
  readonly hash: string
  /** No nonce above this one was given out. */
  readonly nonce: number
  /** Whether a restored ledger waits for an operator's word; stays until it is given. */
  readonly waits: boolean
}

/** A signer's mark on the disk. Must be closed. */
export type MarkFile = Awaited<ReturnType<typeof openMarkFile>>

/** Apart by more than a disk writes at once, so that a write that was cut off spoils one alone. */
const slotStarts = [0, 4_096] as const
const slotBytes = 512

/**
 * Opens a mark, which is made if it isn't there.
 *
 * It is written O_SYNC and not flushed by fsync, which Node's permission model refuses (as of Node 26).
 *
 * @throws {Fault} `ledger_unavailable`.
 */
export async function openMarkFile(file: string) {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_SYNC
  const handle = await open(file, flags, 0o600).catch((cause: unknown) => {
    throw markFault(file, "opened", cause)
  })
  let turn = 0
  return {
    /** `undefined` where none was ever written. */
    async read(): Promise<Mark | undefined> {
      const slots = await readSlots(handle, file)
      const newest = slots.reduce((a, b) => ((b?.turn ?? 0) > (a?.turn ?? 0) ? b : a), undefined)
      turn = newest?.turn ?? 0
      return newest?.mark
    },
    /** Durable when it resolves. Calls must not overlap. */
    async write(mark: Mark): Promise<void> {
      turn += 1
      const text = slotText(mark, turn)
      try {
        await handle.write(text, slotStarts[turn % 2], "utf8")
      } catch (cause) {
        throw markFault(file, "written", cause)
      }
    },
    close: () => handle.close(),
  }
}

type Slot = { readonly mark: Mark; readonly turn: number }

/** @throws {Fault} when there is something but no whole mark. */
async function readSlots(handle: FileHandle, file: string): Promise<readonly (Slot | undefined)[]> {
  const slots: (Slot | undefined)[] = []
  let isEmpty = true
  for (const start of slotStarts) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(slotBytes), 0, slotBytes, start)
    isEmpty &&= buffer.subarray(0, bytesRead).every((byte) => byte === 0)
    slots.push(readSlot(buffer.toString("utf8")))
  }
  if (isEmpty || slots.some((slot) => slot !== undefined)) return slots
  throw new Fault(
    "ledger_unusable",
    `The signer's mark ${file} is damaged; if this ledger is the newest one of this signer, move the mark away and start again.`,
  )
}

function slotText({ ledger, seq, hash, nonce, waits }: Mark, turn: number): string {
  const word = waits ? "waits" : "good"
  const said = ["countersign mark 1", turn, ledger, seq, hash, nonce, word].join(" ")
  return `${said} ${sha256Hex(said)}`.padEnd(slotBytes - 1).concat("\n")
}

const slotPattern =
  /^(countersign mark 1 (\d{1,16}) ([0-9a-f]{32}) (\d{1,16}) ([0-9a-f]{64}) (\d{1,16}) (waits|good)) ([0-9a-f]{64}) *\n$/

function readSlot(text: string): Slot | undefined {
  const found = slotPattern.exec(text) ?? []
  const [, said = "", turn, ledger = "", seq, hash = "", nonce, word, sum] = found
  if (sum === undefined || sum !== sha256Hex(said)) return undefined
  const numbers = { seq: Number(seq), nonce: Number(nonce) }
  const mark = { ledger, hash, ...numbers, waits: word === "waits" }
  return { mark, turn: Number(turn) }
}

function markFault(file: string, what: string, cause: unknown): Fault {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
  return new Fault(
    "ledger_unavailable",
    `The signer's mark ${file} can't be ${what} (${code}); check the disk and its owner, then restart Countersign.`,
    { cause },
  )
}
