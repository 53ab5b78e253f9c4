import { createServer } from "node:net"

import type * as z from "zod"

import { SharedConnections } from "../std/shared-connections.ts"
import { Connection, type LinkConnections } from "./connection.ts"
import { linkLimits, type LinkLimits } from "./link-limits.ts"
import { listenOnFd, listenOnPath } from "./listen.ts"

export type ParamSchemas = Readonly<Record<string, z.ZodType>>

/** One function a method: it gets parameters that its schema has parsed, and who the peer said it is. */
export type Methods<Schemas extends ParamSchemas, Results> = {
  readonly [Method in keyof Schemas & keyof Results]: (
    params: z.infer<Schemas[Method]>,
    by?: string,
  ) => Results[Method] | Promise<Results[Method]>
}

/** The path to make a socket at, with its file mode (0600 if left out); or one that is open already. */
export type LinkPlace = { readonly path: string; readonly mode?: number } | { readonly fd: number }

export type LinkServerOptions<Schemas extends ParamSchemas, Results> = LinkPlace & {
  readonly params: Schemas
  readonly methods: Methods<Schemas, Results>
  /** Demanded in the first frame of every connection, as the call `hello`. */
  readonly secret?: string
  /** Hears what a method threw; the peer learns of it only what {@link Fault} says. */
  readonly onError?: (error: unknown, method: string) => void
  readonly limits?: Partial<LinkLimits>
}

export type LinkServer = {
  /** Takes no more calls, waits a bounded time for those at work, then disconnects everyone. Safe to call twice. */
  close(): Promise<void>
}

/**
 * Answers JSON-RPC calls on a Unix socket by the table of `methods`.
 *
 * At a path, a socket file that nobody answers on is replaced.
 *
 * @throws {Fault} `already_running` when somebody answers on it, `file_unsafe` when the path holds
 * something else, `config_invalid` when the path is too long, `usage` when what was handed over is no socket.
 */
export async function serveLink<Schemas extends ParamSchemas, Results>(
  options: LinkServerOptions<Schemas, Results>,
): Promise<LinkServer> {
  const limits = { ...linkLimits, ...options.limits }
  const connections = new Set<Connection>()
  const shared: LinkConnections = new SharedConnections(limits.maxConnections)
  const server = createServer((socket) => {
    const connection = new Connection(socket, {
      params: options.params,
      methods: options.methods,
      secret: options.secret,
      onError: options.onError ?? (() => undefined),
      shared,
      limits,
    })
    connections.add(connection)
    shared.enter(socket, "silent")
    socket.on("close", () => connections.delete(connection))
  })
  if ("fd" in options) await listenOnFd(server, options.fd)
  else await listenOnPath(server, options.path, options.mode ?? 0o600)

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    await Promise.all([...connections].map((connection) => connection.stop()))
    await closed
  }

  let closing: Promise<void> | undefined
  return { close: () => (closing ??= close()) }
}
