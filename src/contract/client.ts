import { connect, type Socket } from "node:net"

import { Fault } from "../std/fault.ts"
import type { AdminParams, AdminResults, BotParams, BotResults } from "../link/calls/methods.ts"
import * as wire from "../link/wire.ts"

/** Calls the methods of a socket. `Params` and `Results` are the maps of methods.ts. */
type LinkClient<Params, Results> = {
  /**
   * Calls `method`, connecting first if need be. Calls leave in the order in which they are made.
   *
   * @throws {Fault} what the other side threw; `vault_unavailable` when nobody answers, the connection
   * broke or the deadline passed: the call may have been done then. `admin_refused` for a wrong secret.
   */
  call<Method extends string & keyof Params & keyof Results>(
    method: Method,
    params: Params[Method],
  ): Promise<Results[Method]>
  /** Disconnects; calls without an answer throw `vault_unavailable`. Safe to call twice. */
  close(): void
}
export type BotLink = LinkClient<BotParams, BotResults>
export type AdminLink = LinkClient<AdminParams, AdminResults>

export type LinkClientOptions = {
  /** Said in the first frame, where the socket wants it. */
  readonly secret?: string
  /** Who calls, for the record: see connection.ts. */
  readonly by?: string
  /** How long a call waits for its answer. */
  readonly deadlineMs?: number
}

type Waiting = {
  /** Of a list that comes in parts: those before the last. */
  readonly parts: unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (fault: Fault) => void
  /** By the monotonic clock. */
  readonly untilMs: number
}

type Speaking = {
  /** @throws {Fault} as {@link LinkClient} does. */
  call(method: string, params: unknown): Promise<unknown>
  close(): void
}

const defaultDeadlineMs = 10_000

/** A client of the bot socket. */
export function connectBotLink(path: string, options?: LinkClientOptions): BotLink {
  return connectLink<BotParams, BotResults>(path, options)
}

/** A client of the admin socket. */
export function connectAdminLink(path: string, options: LinkClientOptions): AdminLink {
  return connectLink<AdminParams, AdminResults>(path, options)
}

/** A client of the socket at `path`. It connects at the first call, and again after a connection broke. */
export function connectLink<Params, Results>(
  path: string,
  options: LinkClientOptions = {},
): LinkClient<Params, Results> {
  let current: Promise<Speaking> | undefined
  let isClosed = false

  function connection(): Promise<Speaking> {
    if (isClosed) return Promise.reject(unavailable("The connection to the vault is closed."))
    if (current === undefined) {
      const opening = open(path, options, () => {
        if (current === opening) current = undefined
      })
      current = opening
    }
    return current
  }

  return {
    async call<Method extends string & keyof Params & keyof Results>(
      method: Method,
      params: Params[Method],
    ) {
      // The vault is the trusted side: its results are taken as methods.ts describes them.
      return (await (await connection()).call(method, params)) as Results[Method]
    },
    close() {
      isClosed = true
      void current?.then((open) => open.close()).catch(() => undefined)
    },
  }
}

async function open(
  path: string,
  options: LinkClientOptions,
  onLost: () => void,
): Promise<Speaking> {
  try {
    const socket = await dial(path)
    const opened = speak(socket, options, onLost)
    if (options.secret !== undefined)
      await greet(opened, { secret: options.secret, by: options.by })
    return opened
  } catch (error) {
    onLost()
    throw error
  }
}

async function greet(
  opened: Speaking,
  hello: { readonly secret: string; readonly by: string | undefined },
): Promise<void> {
  try {
    await opened.call("hello", hello)
  } catch (error) {
    opened.close()
    throw error
  }
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    const onError = (cause: Error): void =>
      reject(unavailable(`Nobody answers on ${path}; start the daemon.`, cause))
    socket.once("error", onError)
    socket.once("connect", () => {
      socket.off("error", onError)
      resolve(socket)
    })
  })
}

/** Pairs answers with calls on one open socket. A longer line than `maxBytes` ends it. */
export function speak(
  socket: Socket,
  { deadlineMs = defaultDeadlineMs, maxBytes }: { deadlineMs?: number; maxBytes?: number },
  onLost: () => void,
): Speaking {
  const reader = wire.createFrameReader(maxBytes)
  const writer = wire.createFrameWriter(socket)
  const waiting = new Map<number, Waiting>()
  const expire = expirer(waiting, deadlineMs)
  let lastId = 0

  socket.on("data", (chunk: Buffer) => {
    try {
      for (const { value } of reader.push(chunk)) settle(value, waiting)
    } catch {
      socket.destroy()
    }
  })
  // The reason doesn't matter to those who wait; "close" follows.
  socket.on("error", () => undefined)
  socket.on("close", () => {
    onLost()
    expire.stop()
    giveUp(waiting)
  })

  return {
    call(method, params) {
      if (!socket.writable) return Promise.reject(unavailable("The connection to the vault broke."))
      const id = ++lastId
      return new Promise((resolve, reject) => {
        writeCall(writer, { id, method, params })
        const untilMs = performance.now() + deadlineMs
        waiting.set(id, { parts: [], resolve, reject, untilMs })
        expire.watch()
      })
    },
    close: () => socket.destroy(),
  }
}

function giveUp(waiting: Map<number, Waiting>): void {
  for (const { reject } of waiting.values()) {
    reject(unavailable("The connection to the vault broke."))
  }
  waiting.clear()
}

/** One timer for all that waits: each waits equally long, so whoever called first is over first. */
function expirer(waiting: Map<number, Waiting>, limitMs: number) {
  let timer: NodeJS.Timeout | undefined
  const sweep = (): void => {
    const nowMs = performance.now()
    timer = undefined
    for (const [id, { reject, untilMs }] of waiting) {
      if (untilMs > nowMs) {
        timer = setTimeout(sweep, untilMs - nowMs)
        return
      }
      waiting.delete(id)
      reject(unavailable(`The vault gave no answer within ${limitMs} ms.`))
    }
  }
  return {
    /** To be called after each call. */
    watch: () => void (timer ??= setTimeout(sweep, limitMs)),
    stop: () => clearTimeout(timer),
  }
}

/** A parameter `secret` of bytes follows the call: in JSON it would be text, which can't be overwritten. */
function writeCall(
  writer: wire.FrameWriter,
  { params, ...call }: { readonly id: number; readonly method: string; readonly params: unknown },
): void {
  const { secret, ...others } = params as { readonly secret?: unknown }
  if (secret instanceof Uint8Array) {
    const secretBytes = secret.length
    writer.write({ jsonrpc: "2.0", ...call, params: others, secretBytes }, secret)
  } else writer.write({ jsonrpc: "2.0", ...call, params })
}

/** @throws {Fault} when `value` is no answer: the stream can't be trusted any more. */
function settle(value: unknown, waiting: Map<number, Waiting>): void {
  const response = wire.parseResponse(value)
  if (response === undefined)
    throw new Fault("link_protocol", "The socket sent something else than an answer.")
  // An id that nobody waits for is an answer that came after its deadline.
  const id = response.id ?? -1
  const call = waiting.get(id)
  if (call === undefined) return
  if ("more" in response) {
    call.parts.push(response.result)
    return
  }
  waiting.delete(id)
  if ("error" in response) call.reject(wire.faultOf(response.error))
  else call.resolve(wholeOf(call.parts, response.result))
}

function wholeOf(parts: readonly unknown[], last: unknown): unknown {
  return parts.length === 0 ? last : [...parts, last].flat()
}

function unavailable(message: string, cause?: unknown): Fault {
  return new Fault("vault_unavailable", message, { cause })
}
