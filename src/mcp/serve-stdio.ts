import type { Readable, Writable } from "node:stream"

import type { McpServer } from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"

/** The longest message, and all that may wait unread, in bytes. */
const maxBufferSize = 262_144

type Streams = { readonly stdin: Readable; readonly stdout: Writable }

/** Serves until its input ends or nobody reads its output. Resolves with whether a message was too long, which ends it too. */
export async function serveOn(
  { stdin, stdout }: Streams,
  factory: () => McpServer,
): Promise<{ readonly isOverlong: boolean }> {
  let isOverlong = false
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize })
  const ended = Promise.withResolvers<undefined>()
  serveStdio(factory, {
    transport,
    // What it says may quote a message, so it is read and never told.
    onerror: ({ message }) => {
      isOverlong ||= message.startsWith("ReadBuffer exceeded")
    },
  })
  const closed = transport.onclose
  transport.onclose = () => {
    closed?.()
    ended.resolve(undefined)
  }
  await ended.promise
  return { isOverlong }
}
