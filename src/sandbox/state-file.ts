import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"

import { Fault } from "../std/fault.ts"
import { playWrite } from "./play-write.ts"
import { isBody } from "./state/fields.ts"
import type { AcceptedWrite, Venue } from "./state/turn.ts"
import { createVenue } from "./venue.ts"

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
 * and is cut off. A lost power supply may cost the last lines: it is a sandbox.
 *
 * @throws {Fault} `config_invalid` when the file can't be used or a line of it isn't accepted.
 */
export function openKeptVenue(file: string, accounts: readonly string[]): KeptVenue {
  const descriptor = open(file)
  try {
    const venue = replay(readWhole(descriptor), file)
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
  try {
    return openSync(file, "a+", 0o600)
  } catch (cause) {
    const message = `${file} can't be opened; give --state a file that can be written.`
    throw new Fault("config_invalid", message, { cause })
  }
}

function readWhole(descriptor: number): string {
  const bytes = readFileSync(descriptor)
  const length = bytes.lastIndexOf("\n") + 1
  if (length < bytes.length) ftruncateSync(descriptor, length)
  return bytes.subarray(0, length).toString()
}

function replay(text: string, file: string): Venue {
  const venue = createVenue([])
  text.split("\n").forEach((line, index) => {
    if (line === "" || replayLine(line, venue)) return
    const message = `${file}, line ${index + 1}: the sandbox doesn't accept it; start with another file.`
    throw new Fault("config_invalid", message)
  })
  return venue
}

function replayLine(line: string, venue: Venue): boolean {
  const entry = parse(line)
  if (!isBody(entry)) return false
  const { accounts, at_ms: nowMs, path, body } = entry
  if (Array.isArray(accounts)) {
    for (const account of accounts) venue.accounts.wallets.add(String(account))
    return true
  }
  if (typeof nowMs !== "number" || typeof path !== "string" || !isBody(body)) return false
  return playWrite(path, body, { venue, nowMs }).ok
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
