// `node honest-minimum.ts TOKEN LEDGER` signs orders over HTTP with the least that is honest: one process, one token, one
// allow-list, a durable record before each answer with a commit for all that came together, and libsecp256k1. There is no
// policy file, no limit, no check of the signature and no second process.
import { createHash, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { DatabaseSync } from "node:sqlite"

import { ordersPath } from "../order.ts"
import {
  isAllowed,
  openLeastSigner,
  parseOrder,
  type Order,
  type SignedOrder,
} from "./least-signer.ts"

/** A signed order that leaves once its record is durable. */
type Waiting = SignedOrder & { readonly response: ServerResponse }

const [, , token = "", file = ""] = process.argv
const tokenHash = sha256(token)
const sign = openLeastSigner("checks not")

const ledger = new DatabaseSync(file)
ledger.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
ledger.exec("CREATE TABLE records (nonce INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
const record = ledger.prepare("INSERT INTO records (nonce, body) VALUES (?, ?)")

let waiting: Waiting[] = []

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => serve(request, Buffer.concat(chunks).toString(), response))
})
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
})

function serve(request: IncomingMessage, text: string, response: ServerResponse): void {
  const order = parseOrder(text)
  const status = statusOf(request, order)
  if (order === undefined || status !== 200) {
    answer(response, status, "{}")
    return
  }
  waiting.push({ ...sign(order), response })
  if (waiting.length === 1) setImmediate(commit)
}

function statusOf({ headers, method, url }: IncomingMessage, order: Order | undefined): number {
  const shown = headers.authorization?.replace(/^Bearer /, "") ?? ""
  if (!timingSafeEqual(sha256(shown), tokenHash)) return 401
  if (method !== "POST" || url !== ordersPath) return 404
  if (order === undefined) return 400
  return isAllowed(order) ? 200 : 403
}

/** One flush for all that came in the same turn of the loop. */
function commit(): void {
  const batch = waiting
  waiting = []
  ledger.exec("BEGIN")
  for (const { nonce, body } of batch) record.run(nonce, body)
  ledger.exec("COMMIT")
  for (const { response, body } of batch) answer(response, 200, body)
}

function answer(response: ServerResponse, status: number, body: string): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": length })
  response.end(body)
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
