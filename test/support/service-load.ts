// Runs in a container beside the services, from a directory that has nothing else of this repository:
//
//   service-load.ts TOKEN COUNT [UNIT]
//
// Bots that have COUNT orders signed through the gate's port. Half way UNIT's process is killed. Prints what
// came of it as JSON.

import { execFileSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"

/** What a load tells. */
export type Load = {
  /** The bodies that were signed. */
  readonly signed: readonly string[]
  /** How many bots there were; each has one request at work. */
  readonly callers: number
  /** Requests that weren't signed, and why. */
  readonly lost: readonly string[]
  /** From the kill to the first signature of a request that was asked for after it. */
  readonly backMs: number
}

const [token = "", count = "0", unit] = process.argv.slice(2)
const callers = 8
const total = Number(count)

let asked = 0
let killedMs: number | undefined
let backMs = 0
const signed: string[] = []
const lost: string[] = []

await Promise.all(Array.from({ length: callers }, call))
const load: Load = { signed, callers, lost, backMs }
console.log(JSON.stringify(load))

async function call(): Promise<void> {
  while (asked < total) {
    asked += 1
    if (asked === total / 2 && unit !== undefined) kill(unit)
    const wasAfterKill = killedMs !== undefined
    const why = await ask()
    if (why === undefined && wasAfterKill && backMs === 0) backMs = performance.now() - killedMs!
    if (why === undefined) continue
    lost.push(why)
    await sleep(20)
  }
}

/** Why it wasn't signed; `undefined` when it was. */
async function ask(): Promise<string | undefined> {
  try {
    const response = await fetch("http://127.0.0.1:8420/sign/v1/trade/orders", {
      method: "POST",
      // Each on a connection of its own: what isn't taken yet waits with systemd, and isn't lost.
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        Connection: "close",
      },
      body: JSON.stringify({
        symbol_id: 1,
        is_buy: true,
        order_type: "limit",
        price: "63000",
        quantity: "0.1",
      }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    if (response.status !== 200) return `${response.status} ${text}`
    signed.push(text)
    return undefined
  } catch (error) {
    return String(error instanceof Error ? (error.cause ?? error) : error)
  }
}

function kill(name: string): void {
  const pid = execFileSync("systemctl", ["show", "--property=MainPID", "--value", name], {
    encoding: "utf8",
  })
  process.kill(Number(pid), "SIGKILL")
  killedMs = performance.now()
}
