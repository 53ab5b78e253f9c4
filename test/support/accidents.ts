import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

import { assertConforms, headerMap } from "../contract/conform.ts"
import { errorExamples } from "../../packaging/openapi/error-examples.ts"

/** What happens to a request: nothing, a spent limit answers it, or its answer is lost once the daemon has given it. */
export type Accident = "none" | "limit" | "cut"

/** Stands between bots and the daemon. */
export type Accidents = {
  readonly url: string
  /** What happens to the next requests for `path`, one each. */
  plan(path: string, accidents: readonly Accident[]): void
  /** Answers that weren't as docs/openapi.json says, and accidents that nobody met. */
  left(): readonly string[]
  close(): Promise<void>
}

/** Passes requests on to the daemon at `port`, but for accidents. */
export async function startAccidents(port: number): Promise<Accidents> {
  let plan: { readonly path: string; readonly accidents: Accident[] } = { path: "", accidents: [] }
  const broken: string[] = []
  const server = createServer((asked, answer) => {
    const accident = asked.url === plan.path ? plan.accidents.shift() : undefined
    if (accident === "limit") {
      asked.resume().on("end", () => answerLimit(answer))
      return
    }
    passOn(asked, answer, { port, isCut: accident === "cut" }).catch((error: unknown) => {
      broken.push(String(error))
      asked.socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server has one
    plan: (path, accidents) => (plan = { path, accidents: [...accidents] }),
    left: () => [...broken, ...plan.accidents],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answerLimit(answer: ServerResponse): void {
  answer.writeHead(429, {
    "Content-Type": "application/json",
    "Countersign-Source": "daemon",
    "Retry-After": "1",
  })
  const { msg, data } = errorExamples.limit_exhausted
  answer.end(JSON.stringify({ code: "limit_exhausted", msg, data, trace_code: "" }))
}

async function passOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  { port, isCut }: { readonly port: number; readonly isCut: boolean },
): Promise<void> {
  const sent = await buffer(asked)
  const { method = "GET", url: path = "/" } = asked
  const headers = { ...asked.headers, host: `127.0.0.1:${port}` }
  const came = await new Promise<IncomingMessage>((resolve, reject) => {
    const passing = request({ host: "127.0.0.1", port, method, path, headers, agent: false })
    passing.on("response", resolve).on("error", reject).end(sent)
  })
  const body = await buffer(came)
  const status = came.statusCode ?? 0
  assertConforms({
    ...{ method, path, status, headers: headerMap(came.headers), text: body.toString() },
    asked: { headers: headerMap(asked.headers), body: sent.toString() },
  })
  if (isCut) asked.socket.destroy()
  else answer.writeHead(status, came.rawHeaders).end(body)
}
