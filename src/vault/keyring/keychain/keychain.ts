import type { Readable, Writable } from "node:stream"

import { concatBytes, copySecret, utf8 } from "../../../std/bytes.ts"
import type { FaultCode } from "../../../std/fault.ts"

/**
 * The operating system's keychain: keytar's verbs, but over bytes. All calls are about the items of one
 * service, which is fixed where it is opened.
 */
export type Keychain = {
  /** `undefined` where there is no such item. The secret is the caller's, to overwrite after use. */
  getPassword(account: string): Promise<Uint8Array | undefined>
  /** Overwrites what is there. `secret` stays the caller's, to overwrite. */
  setPassword(account: string, secret: Uint8Array): Promise<void>
  /** Whether there was an item to delete. */
  deletePassword(account: string): Promise<boolean>
}

/** Which library speaks to the keychain. On Linux neither sees what the other stored. */
export type KeychainDriver = "native" | "keytar"

/** What says which items are meant, and how they are reached. */
export type KeychainSettings = {
  readonly driver: KeychainDriver
  readonly service: string
  /** keytar's own directory, an absolute path, where it isn't installed beside this program. */
  readonly keytarDirectory?: string | undefined
}

/** What the vault asks of the keychain's process, one call at a time. A secret follows it as bytes. */
export type KeychainCall = {
  /** `cover` returns zeros. They overwrite what is left of a key in the vault's read buffer. */
  readonly verb: "getPassword" | "setPassword" | "deletePassword" | "cover"
  /** Empty for `cover`. */
  readonly account: string
}

/** What the process answers. An item's secret follows it as bytes. `isDone` is whether there was an item to get or delete. */
export type KeychainAnswer =
  | { readonly isOk: true; readonly isDone: boolean }
  | { readonly isOk: false; readonly code: FaultCode; readonly message: string }

/** One message between the vault and the keychain's process: a head in JSON, and secrets as bytes. */
export type Frame = {
  readonly head: unknown
  /** The receiver overwrites it after use. */
  readonly secret: Uint8Array
}

/** Far more than a thousand keys need. It bounds how much a broken process can make us keep. */
const maxPartBytes = 1024 * 1024

const prefixBytes = 8

/** Writes a frame and resolves once it is sent. Our copy of `secret` is overwritten; the caller overwrites `secret`. */
export async function writeFrame(stream: Writable, { head, secret }: Frame): Promise<void> {
  const json = utf8(JSON.stringify(head))
  const prefix = new Uint8Array(prefixBytes)
  const view = new DataView(prefix.buffer)
  view.setUint32(0, json.length)
  view.setUint32(4, secret.length)
  const bytes = concatBytes(prefix, json, secret)
  try {
    await new Promise<void>((resolve, reject) => {
      stream.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  } finally {
    bytes.fill(0)
  }
}

/**
 * Reads frames until the stream ends. Overwrites what it read.
 *
 * @throws {RangeError} when the bytes aren't frames.
 */
export async function* framesOf(stream: Readable): AsyncGenerator<Frame, void, undefined> {
  let pending: Uint8Array = new Uint8Array()
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    pending = joined(pending, chunk)
    for (let length = frameLength(pending); length !== undefined; length = frameLength(pending)) {
      const frame = frameIn(pending)
      const rest = copySecret(pending.subarray(length))
      pending.fill(0)
      pending = rest
      yield frame
    }
  }
}

/** Both in a new place; the old ones are overwritten. */
function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = concatBytes(first, second)
  first.fill(0)
  second.fill(0)
  return bytes
}

/** How many bytes the first frame has; `undefined` while it isn't whole. */
function frameLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < prefixBytes) return undefined
  const { jsonBytes, secretBytes } = lengthsIn(bytes)
  if (Math.max(jsonBytes, secretBytes) > maxPartBytes) throw new RangeError("not a frame")
  const length = prefixBytes + jsonBytes + secretBytes
  return bytes.length < length ? undefined : length
}

function frameIn(bytes: Uint8Array): Frame {
  const { jsonBytes, secretBytes } = lengthsIn(bytes)
  const secretStart = prefixBytes + jsonBytes
  return {
    head: JSON.parse(new TextDecoder().decode(bytes.subarray(prefixBytes, secretStart))),
    secret: copySecret(bytes.subarray(secretStart, secretStart + secretBytes)),
  }
}

function lengthsIn(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return { jsonBytes: view.getUint32(0), secretBytes: view.getUint32(4) }
}
