import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

import type { SeededRandom } from "./seeded-random.ts"

/** A venue that keeps what it receives and answers as it likes: yes, no, a broken word, or not at all. */
export type CountingVenue = { readonly url: string; close(): void }

/** Starts it on a free port. */
export async function startCountingVenue(
  random: SeededRandom,
  onReceived: (request: { readonly path: string; readonly body: string }) => void,
): Promise<CountingVenue> {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        onReceived({ path: request.url ?? "", body })
        const luck = random.below(10)
        if (luck === 0) {
          response.destroy()
          return
        }
        const [status, answer] = answers[luck] ?? yes
        response.writeHead(status, { "content-type": "application/json" }).end(answer)
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const yes = [200, '{"code":"0","msg":"","data":{}}'] as const
const no = [400, '{"code":"90301","msg":"no","data":{}}'] as const
const answers = { 1: [502, "<html>"], 2: no, 3: no } as Readonly<
  Record<number, readonly [number, string]>
>
