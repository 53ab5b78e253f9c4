// `node two-processes.ts LEDGER` signs orders over HTTP with the least that has the daemon's shape: a gate, a vault behind a
// socket, and a thread for the ledger. It keeps an order, checks its signatures, chains its records and shares their commits.
// There is no token, no policy file, no limit, no strict reading, no key in a store.
import { hash } from "node:crypto"
import { createServer } from "node:net"
import { DatabaseSync } from "node:sqlite"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"

import { runLeastGate } from "./least-gate.ts"
import {
  isAllowed,
  openLeastSigner,
  parseOrder,
  type Order,
  type SignedOrder,
} from "./least-signer.ts"
import { lines } from "./lines.ts"

const [, program = "", file = "", role = "gate"] = process.argv
const socketPath = `${file}.sock`

if (!isMainThread) runLedger(workerData as string)
else if (role === "vault") runVault()
else await runLeastGate({ program, file, socketPath })

type Signing = { readonly signed: SignedOrder[]; readonly send: (line: string) => void }

/** Answers in the order of the questions: each waits for its record's commit. */
function runVault(): void {
  const sign = openLeastSigner("checks")
  const ledger = new Worker(program, { workerData: file })
  let gathering: Signing[] = []
  let atWork: Signing[] = []
  const commit = (): void => {
    if (atWork.length > 0 || gathering.length === 0) return
    ;[atWork, gathering] = [gathering, []]
    ledger.postMessage(atWork.flatMap(({ signed }) => signed.map((each) => JSON.stringify(each))))
  }
  ledger.on("message", () => {
    const done = atWork
    atWork = []
    commit()
    for (const { signed, send } of done) send(signed.map(({ body }) => body).join())
  })
  const server = createServer((socket) => {
    const send = lines(socket, (line) => {
      const asked = ordersOf(parseOrder(line) ?? {})
      gathering.push({ signed: asked.filter(isAllowed).map(sign), send })
      queueMicrotask(commit)
    })
  })
  server.listen(socketPath, () => process.stdout.write("ready"))
}

/** Of a batch, as the daemon takes one, or of the order itself. */
function ordersOf(body: Order): readonly Order[] {
  const { requests } = body as { readonly requests?: readonly { readonly body: Order }[] }
  return requests?.map((each) => each.body) ?? [body]
}

function runLedger(path: string): void {
  const database = new DatabaseSync(path)
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
  database.exec("PRAGMA synchronous = FULL")
  database.exec("CREATE TABLE records (seq INTEGER PRIMARY KEY, row TEXT, hash TEXT) STRICT")
  const add = database.prepare("INSERT INTO records (row, hash) VALUES (?, ?)")
  const [begin, end] = [database.prepare("BEGIN"), database.prepare("COMMIT")]
  let head = ""
  parentPort?.on("message", (rows: readonly string[]) => {
    begin.run()
    for (const row of rows) {
      head = hash("sha256", head + row)
      add.run(row, head)
    }
    end.run()
    parentPort?.postMessage("durable")
  })
}
