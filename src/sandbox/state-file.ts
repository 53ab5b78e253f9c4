import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs"

import { Fault } from "../std/fault.ts"
import { parseJson } from "../std/parse-json.ts"
import { playWrite } from "./answer-request.ts"
import { address, isBody, type Body } from "./state/fields.ts"
import { type AcceptedWrite, createVenue, type Venue } from "./state/venue.ts"

/** A venue whose accepted writes are kept in a file. */
export type KeptVenue = {
  readonly venue: Venue
  /** Keeps a write, before its answer leaves. */
  readonly keep: (write: AcceptedWrite) => void
  readonly close: () => void
}

/**
 * Opens a venue that goes on where `file` ends. The file has one accepted write a line, with its time, and
 * they are played again, so that the same checks hold; a last line without its end was never answered,
 * and is cut off. Nothing is written before all of it is seen to be a sandbox's. A lost power supply may cost the last
 * lines: it is a sandbox.
 *
 * @throws {Fault} `config_invalid` when the file can't be used or a line of it isn't accepted.
 */
export function openKeptVenue(file: string, accounts: readonly string[]): KeptVenue {
  const descriptor = open(file)
  try {
    const venue = replayWhole(descriptor, file)
    const line = (value: unknown): void => {
      writeSync(descriptor, `${JSON.stringify(value)}\n`)
    }
    const lowerCase = accounts.map((account) => account.toLowerCase())
    const fresh = lowerCase.filter((account) => !venue.accounts.wallets.has(account))
    for (const account of fresh) venue.accounts.wallets.add(account)
    if (fresh.length > 0) line({ accounts: fresh })
    return {
      venue,
      keep: ({ atMs, path, body }) => line({ at_ms: atMs, path, body }),
      close: () => closeSync(descriptor),
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function open(file: string): number {
  // O_NONBLOCK: opening a FIFO that nobody reads would otherwise wait for ever.
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    return openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (cause) {
    const isLink = (cause as NodeJS.ErrnoException).code === "ELOOP" // fs throws these alone
    const message = isLink
      ? `${file} is a symlink; give --state the file itself.`
      : `${file} can't be opened; give --state a file that can be written.`
    throw new Fault("config_invalid", message, { cause })
  }
}

/** Plays all whole lines again, and then alone cuts off what is left of a last one. */
function replayWhole(descriptor: number, file: string): Venue {
  if (!fstatSync(descriptor).isFile()) throw notOurs(`${file} isn't a regular file`)
  const bytes = readFileSync(descriptor)
  const length = bytes.lastIndexOf("\n") + 1
  const lines = bytes.subarray(0, length).toString().split("\n").slice(0, -1)
  const venue = createVenue([])
  const foreign = lines.findIndex((line) => !replayLine(line, venue))
  if (foreign !== -1) throw notOurs(`${file}, line ${foreign + 1}: the sandbox doesn't accept it`)
  if (!isCutLine(bytes.subarray(length).toString())) {
    throw notOurs(`${file}, line ${lines.length + 1}: no sandbox wrote it`)
  }
  if (length < bytes.length) ftruncateSync(descriptor, length)
  return venue
}

function notOurs(what: string): Fault {
  return new Fault("config_invalid", `${what}; start with another file.`)
}

/** Whether it can be the beginning of a line that {@link openKeptVenue} writes. */
function isCutLine(text: string): boolean {
  const heads = ['{"accounts":["0x', '{"at_ms":1']
  if (heads.some((head) => head.startsWith(text))) return true
  return /^\{"(?:accounts":\["[0-9a-fx",\]]+\}?|at_ms":\d+(?:,|,".*)?)$/.test(text)
}

function replayLine(line: string, venue: Venue): boolean {
  const entry = parseJson(line)
  if (!isBody(entry)) return false
  const names = Object.keys(entry).join()
  if (names === "accounts") return takeAccounts(entry["accounts"], venue)
  return names === "at_ms,path,body" && playAgain(entry, venue)
}

function takeAccounts(accounts: unknown, venue: Venue): boolean {
  if (!Array.isArray(accounts)) return false
  if (accounts.some((account) => address(account) !== undefined)) return false
  for (const account of accounts) venue.accounts.wallets.add(String(account))
  return true
}

function playAgain({ at_ms: nowMs, path, body }: Body, venue: Venue): boolean {
  if (typeof nowMs !== "number" || typeof path !== "string" || !isBody(body)) return false
  return playWrite(path, body, { venue, nowMs }).ok
}
