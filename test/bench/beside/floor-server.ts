// `node floor-server.ts http|express` reads a JSON body and answers with one as long as a signed order: what HTTP
// alone costs in Node. As a venue for what is forwarded, `venue` answers the envelope.
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

import express from "express"

import { signedBody } from "../order.ts"

const accepted = '{"code":"0","msg":"","data":{"order_id":"1000001"},"trace_code":"t"}'
const kinds = { http: () => bare(signedBody), express: withExpress, venue: () => bare(accepted) }
const kind = process.argv[2] as keyof typeof kinds
const server = createServer({ keepAliveTimeout: 60_000 }, kinds[kind]())
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})

function bare(answer: string): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      JSON.parse(Buffer.concat(chunks).toString())
      response.writeHead(200, {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(answer),
      })
      response.end(answer)
    })
  }
}

function withExpress(): RequestListener {
  const app = express()
  app.use(express.json())
  app.use((_request, response) => response.type("json").send(signedBody))
  return app as RequestListener
}
