import { Fault } from "../../../std/fault.ts"

// https://www.sqlite.org/rescode.html; the low byte of an extended code is its primary code.
const sqlite = {
  busy: 5,
  noMemory: 7,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const

/** Says in plain words what SQLite (or our own code) threw while the ledger in `file` was opened or written. */
export function faultOf(error: unknown, file: string): Fault {
  if (error instanceof Fault) return error
  const { primary, errstr } = codesOf(error)
  const say = sentences.get(primary)
  const message = say?.(file) ?? `The ledger ${file} failed (${errstr ?? String(error)}).`
  const isUnusable = primary === sqlite.corrupt || primary === sqlite.notADatabase
  return new Fault(isUnusable ? "ledger_unusable" : "ledger_unavailable", message, { cause: error })
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return codesOf(error).primary === sqlite.busy
}

/** Whether the disk had no room for what was written. Of a sync that failed it isn't true: nobody knows what that left. */
export function isFull(error: unknown): boolean {
  return codesOf(error).primary === sqlite.full
}

/** Whether the machine failed (disk, lock, memory), so that nothing is known of what the file holds. */
export function isOfMachine(error: unknown): boolean {
  const { busy, noMemory, readOnly, inputOutput, full, cannotOpen } = sqlite
  const codes: readonly number[] = [busy, noMemory, readOnly, inputOutput, full, cannotOpen]
  return codes.includes(codesOf(error).primary)
}

function codesOf(error: unknown): { readonly primary: number; readonly errstr?: string } {
  const { errcode = 0, ...others } = error as {
    readonly errcode?: number
    readonly errstr?: string
  } // what node:sqlite adds
  return { ...others, primary: errcode & 0xff }
}

const again = "if Countersign doesn't come back by itself then, start it again."

const restore = "restore it from a backup, as docs/operations/backups.md says."

const notWritable = (file: string): string =>
  `The ledger ${file} can't be written; check the owner and mode of it and its directory, and whether the disk is mounted read-only; ${again}`

const sentences: ReadonlyMap<number, (file: string) => string> = new Map([
  [
    sqlite.busy,
    (file) =>
      `Another program keeps the ledger ${file} for itself, a daemon of an earlier version or one that writes to it; end that; ${again}`,
  ],
  [sqlite.readOnly, notWritable],
  [sqlite.cannotOpen, notWritable],
  [
    sqlite.inputOutput,
    (file) => `The disk failed under the ledger ${file}; check the disk; ${again}`,
  ],
  [sqlite.full, (file) => `The disk is full under the ledger ${file}; free some space; ${again}`],
  [sqlite.corrupt, (file) => `The ledger ${file} is damaged; ${restore}`],
  [
    sqlite.notADatabase,
    (file) => `${file} isn't a ledger (no SQLite database) or is damaged; ${restore}`,
  ],
])
