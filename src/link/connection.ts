import { createHash, timingSafeEqual } from "node:crypto"
import type { Socket } from "node:net"
import { setTimeout as after } from "node:timers/promises"
import * as z from "zod"

import { Fault } from "../std/fault.ts"
import type { SharedConnections } from "../std/shared-connections.ts"
import * as wire from "./wire.ts"

/** Of a list that goes out in parts: half a line, so that commas and what is around it fit too. */
const maxPartBytes = wire.maxFrameBytes / 2

/** How many calls are begun in one turn of the loop. */
const takenAtOnce = 4

/** The longest secret behind a line: a passphrase's file may have as much. */
const maxSecretBytes = 64 * 1024

export type ConnectionOptions = {
  readonly params: Readonly<Record<string, z.ZodType>>
  readonly methods: object
  /** Demanded in the first frame of every connection, as the call `hello`. */
  readonly secret?: string
  /** Hears what a method threw; the peer learns of it only what {@link Fault} says. */
  readonly onError: (error: unknown, method: string) => void
  /** Who has called, after the secret where one is due, loses nothing to those who haven't. */
  readonly shared: SharedConnections<"called" | "silent">
  readonly limits: LinkLimits
}

/** The server's end of one connection: answers its calls, many at a time, each as soon as it is done. */
export class Connection {
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  readonly #reader
  readonly #writer
  #isGreeted: boolean
  /** Who the peer said it is. */
  #by: string | undefined
  #isStopping = false
  #inFlight = 0
  /** Calls that have come and weren't begun. */
  #come: wire.Frame[] = []
  #onIdle: () => void = () => undefined
  #lineTimer: NodeJS.Timeout | undefined

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    // Whoever must say a secret first may send others.
    const secretBytes = options.secret === undefined ? 0 : maxSecretBytes
    this.#reader = wire.createFrameReader(wire.maxFrameBytes, secretBytes)
    this.#writer = wire.createFrameWriter(socket)
    this.#isGreeted = options.secret === undefined
    socket.on("data", this.#receive)
    socket.on("drain", () => this.#throttle())
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      clearTimeout(this.#lineTimer)
      this.#reader.close()
      this.#onIdle()
    })
    this.#watchLine()
  }

  /** Takes no more calls, waits a bounded time for those at work, then disconnects. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const { closeMs } = this.#options.limits
    if (this.#inFlight > 0) {
      const idle = new Promise<void>((resolve) => (this.#onIdle = resolve))
      await Promise.race([idle, after(closeMs, undefined, { ref: false })])
    }
    // Answers leave at the end of the tick, the end of the stream after them.
    process.nextTick(() => this.#socket.end(() => this.#socket.destroy()))
    setTimeout(() => this.#socket.destroy(), closeMs).unref()
  }

  readonly #receive = (chunk: Buffer): void => {
    try {
      const frames = this.#reader.push(chunk)
      if (frames.length > 0) clearTimeout(this.#lineTimer)
      if (frames.length > 0) this.#lineTimer = undefined
      const isTaking = this.#come.length > 0
      this.#come.push(...frames)
      if (!isTaking) this.#takeSome()
    } catch (error) {
      this.#options.onError(error, "")
      this.#fail(wire.rpcErrors.parse)
    }
    this.#watchLine()
  }

  /** Begins some of what has come. What they wait for goes on before the next: their answers leave while those are at work. */
  readonly #takeSome = (): void => {
    for (const frame of this.#come.splice(0, takenAtOnce)) {
      void this.#take(frame).finally(() => frame.secret?.fill(0))
    }
    this.#throttle()
    if (this.#come.length > 0) setImmediate(this.#takeSome)
  }

  async #take({ value, secret }: wire.Frame): Promise<void> {
    if (this.#isStopping || !this.#socket.writable) return
    const request = wire.parseRequest(value)
    if (request === undefined) this.#fail(wire.rpcErrors.invalidRequest)
    else if (this.#isGreeted) await this.#answer({ ...request, secret })
    else this.#greet(request)
  }

  #greet(request: wire.Request): void {
    const hello = helloParams.safeParse(request.params)
    const isHello = request.method === "hello" && hello.success
    if (!isHello || !isSecret(hello.data.secret, this.#options.secret ?? "")) {
      this.#fail(wire.errorOf(helloRefused()), request.id)
      return
    }
    this.#isGreeted = true
    this.#options.shared.asks(this.#socket, "called")
    this.#by = hello.data.by
    this.#writer.write({ jsonrpc: "2.0", id: request.id, result: {} })
  }

  async #answer(request: Call): Promise<void> {
    this.#inFlight += 1
    this.#options.shared.asks(this.#socket, "called")
    this.#throttle()
    const outcome = await run(request, this.#by, this.#options)
    this.#inFlight -= 1
    try {
      for (const part of partsOf(outcome)) {
        this.#writer.write({ jsonrpc: "2.0", id: request.id, ...part })
      }
    } catch (error) {
      this.#options.onError(error, request.method)
      this.#writer.write({ jsonrpc: "2.0", id: request.id, error: wire.errorOf(error) })
    }
    this.#throttle()
    if (this.#inFlight === 0) this.#onIdle()
  }

  /** Reads on only while there is room for more calls and the peer takes its answers. */
  #throttle(): void {
    const { maxCallsInFlight, maxUnreadBytes } = this.#options.limits
    const isFull =
      this.#come.length > 0 ||
      this.#inFlight >= maxCallsInFlight ||
      this.#socket.writableLength > maxUnreadBytes
    if (isFull) this.#socket.pause()
    else if (this.#socket.isPaused()) this.#socket.resume()
  }

  /** A stream that broke the protocol can't be trusted to be in step: it is told why, and closed. */
  #fail(error: wire.ErrorMember, id: number | null = null): void {
    const socket = this.#socket
    if (!socket.writable) return
    socket.off("data", this.#receive)
    socket.resume()
    socket.end(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`, () => socket.destroy())
  }

  #watchLine(): void {
    if (this.#reader.hasPartialLine() || !this.#isGreeted) {
      this.#lineTimer ??= setTimeout(
        () => this.#socket.destroy(),
        this.#options.limits.partialLineMs,
      )
    }
  }
}

type Outcome =
  { readonly result: unknown; readonly more?: true } | { readonly error: wire.ErrorMember }

/** A list is answered in parts where a line wouldn't hold all of it. */
function* partsOf(outcome: Outcome): Generator<Outcome> {
  if (!("result" in outcome) || !Array.isArray(outcome.result)) {
    yield outcome
    return
  }
  let part: unknown[] = []
  let bytes = 0
  for (const item of outcome.result as readonly unknown[]) {
    const itemBytes = Buffer.byteLength(JSON.stringify(item))
    if (part.length > 0 && bytes + itemBytes > maxPartBytes) {
      yield { result: part, more: true }
      ;[part, bytes] = [[], 0]
    }
    part.push(item)
    bytes += itemBytes
  }
  yield { result: part }
}

/** Bytes that came behind a request stand in its parameters as `secret`, which no JSON can put there. */
type Call = wire.Request & Pick<wire.Frame, "secret">

type Method = (params: unknown, by: string | undefined) => unknown

async function run(
  { method, params: given, secret }: Call,
  by: string | undefined,
  options: ConnectionOptions,
): Promise<Outcome> {
  const schema = Object.hasOwn(options.params, method) ? options.params[method] : undefined
  if (schema === undefined) return { error: wire.rpcErrors.unknownMethod }
  const params = schema.safeParse(secret ? Object.assign({}, given, { secret }) : given)
  if (!params.success) return { error: wire.rpcErrors.invalidParams }
  try {
    // The types of `serveLink` pair each method with the schema that made its parameters.
    const methods = options.methods as Readonly<Record<string, Method>>
    return { result: (await methods[method]?.(params.data, by)) ?? null }
  } catch (error) {
    options.onError(error, method)
    return { error: wire.errorOf(error) }
  }
}

/** `by`: who the command says runs it. A note, for whoever knows the secret can say anything. */
const helloParams = z.strictObject({
  secret: z.string().max(1_024),
  by: z
    .string()
    .regex(/^[ -~]{1,100}$/)
    .optional(),
})

/** Compares digests, so that neither the time nor the length tells anything of the secret. */
function isSecret(given: string, secret: string): boolean {
  return timingSafeEqual(sha256(given), sha256(secret))
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

function helloRefused(): Fault {
  return new Fault(
    "admin_refused",
    "This socket wants its secret in the first frame, and got none that fits.",
  )
}

/** Bounds of a socket's server, each against a peer that is broken or hostile. */
export type LinkLimits = {
  /** The gate uses one connection, the command line one a call. Above, see `SharedConnections`. */
  readonly maxConnections: number
  /** Calls of one connection at work; no more is read from it until one is answered. */
  readonly maxCallsInFlight: number
  /** Answers waiting for a peer that doesn't read; no more is read from it until they left. */
  readonly maxUnreadBytes: number
  /** From a line's first byte to its last, and from connecting to the first frame where a secret is due. */
  readonly partialLineMs: number
  /** How long closing waits for calls at work. */
  readonly closeMs: number
}

export const linkLimits: LinkLimits = {
  maxConnections: 64,
  maxCallsInFlight: 1_024,
  maxUnreadBytes: 4 * 1024 * 1024,
  partialLineMs: 10_000,
  closeMs: 5_000,
}
