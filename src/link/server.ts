import { createServer, connect, type Server } from "node:net"
import type * as z from "zod"
import { lstatSync, unlinkSync } from "node:fs"

import { Fault } from "../std/fault.ts"
import { codeOf } from "../std/private-file.ts"
import { SharedConnections } from "../std/shared-connections.ts"
import { Connection, type ConnectionOptions, linkLimits, type LinkLimits } from "./connection.ts"

type ParamSchemas = Readonly<Record<string, z.ZodType>>

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
  readonly limits?: Partial<LinkLimits>
} & Partial<Pick<ConnectionOptions, "secret" | "onError">>

export type LinkServer = Awaited<ReturnType<typeof serveLink>>

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
) {
  const limits = { ...linkLimits, ...options.limits }
  const connections = new Set<Connection>()
  const shared: ConnectionOptions["shared"] = new SharedConnections(limits.maxConnections)
  const server = createServer((socket) => {
    const onError = options.onError ?? (() => undefined)
    const connection = new Connection(socket, { ...options, onError, shared, limits })
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
  return {
    /** Takes no more calls, waits a bounded time for those at work, then disconnects everyone. Safe to call twice. */
    close: () => (closing ??= close()),
  }
}

// sun_path of Linux's sockaddr_un holds 108 bytes with the final zero (unix(7)).
export const maxPathBytes = 107

/**
 * Listens on a Unix socket that has `mode` from its first moment on. A socket file that nobody
 * answers on is left over from a crash, and is replaced.
 *
 * @throws {Fault} `already_running`, `file_unsafe`, `config_invalid`.
 */
export async function listenOnPath(server: Server, path: string, mode: number): Promise<void> {
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new Fault(
      "config_invalid",
      `The socket path ${path} is longer than ${maxPathBytes} bytes; choose a shorter state directory.`,
    )
  }
  try {
    await listenWithMode(server, path, mode)
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw unusable(path, error)
    await removeStale(path)
    await listenWithMode(server, path, mode).catch((again: unknown) => {
      throw unusable(path, again)
    })
  }
}

function listenWithMode(server: Server, path: string, mode: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    // `listen` binds, and so makes the file, before it returns.
    const umaskBefore = process.umask(0o777 & ~mode)
    try {
      server.listen(path, () => {
        server.off("error", reject)
        resolve()
      })
    } finally {
      process.umask(umaskBefore)
    }
  })
}

async function removeStale(path: string): Promise<void> {
  if (!lstatSync(path).isSocket()) {
    throw new Fault("file_unsafe", `${path} is in the way and isn't a socket; remove it.`)
  }
  if (await isAnswered(path)) {
    throw new Fault(
      "already_running",
      `Somebody answers on ${path} already; stop that daemon first.`,
    )
  }
  unlinkSync(path)
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once("connect", () => {
      probe.destroy()
      resolve(true)
    })
    // Only a refusal proves that nobody is there; whatever else is in the way isn't ours to remove.
    probe.once("error", (error) => resolve(codeOf(error) !== "ECONNREFUSED"))
  })
}

function unusable(path: string, cause: unknown): Fault {
  const reason = cause instanceof Error ? cause.message : "unknown"
  return new Fault("file_unsafe", `Can't listen on ${path} (${reason}); mend its directory.`, {
    cause,
  })
}

/**
 * Listens on a socket that whoever started this process opened and owns: its file stays when it is closed
 * here, and connections wait in its queue until the next process takes them.
 *
 * @throws {Fault} `usage` when `fd` is no socket that can listen.
 */
export function listenOnFd(server: Server, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new Fault("usage", `Descriptor ${fd} was handed over and isn't a socket to listen on.`, {
          cause,
        }),
      ),
    )
    server.listen({ fd }, resolve)
  })
}
