// Opens an installation as the vault does, measures what depends on the ledger, and prints it as JSON.
// With "kill" it signs some more and then ends without closing anything.

import { performance } from "node:perf_hooks"

import { utf8 } from "../../src/std/bytes.ts"
import { openVault } from "../../src/vault/open-vault.ts"
import { checkRequest } from "../../src/vault/request/check-request.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import { limitOrder, ordersPath } from "./open-test-vault.ts"

/** What one run measures. Times are medians, in milliseconds; memory is of the whole process. */
export type SizeFigures = {
  readonly entries: number
  readonly openMs: number
  readonly rssMiB: number
  readonly decideMs: number
  readonly signMs: number
  readonly signP99Ms: number
  readonly recordMs: number
  readonly statusMs: number
}

const calls = 1_500

const [configDir = "", stateDir = "", token = "", mode = "", ...ids] = process.argv.slice(2)
const startMs = performance.now()
const vault = await openVault({ configDir, stateDir }, () =>
  Promise.resolve(utf8("a passphrase of a test")),
)
const openMs = performance.now() - startMs
globalThis.gc?.()
const rssMiB = process.memoryUsage.rss() / 1_048_576

const body = Buffer.from(JSON.stringify(limitOrder())).toString("base64")
const call = { token, path: ordersPath, body, purpose: "forward" as const }
const check = { token, path: ordersPath, body }
const decide = await timesOf(calls, () => Promise.resolve(checkRequest(check, vault)))
const sign = await timesOf(calls, async () => {
  const { kind } = await signRequest(call, vault)
  if (kind !== "answer") throw new Error(`the request was ${kind}`)
})
const record = await timesOf(calls, async (turn) => {
  const id = ids[turn % ids.length] ?? ""
  if ((await vault.ledger.record(id)) === undefined) throw new Error("no such record")
})
const status = await timesOf(50, async () => {
  await vault.ledger.count()
  await vault.ledger.recentRefusals(5)
})
const figures: SizeFigures = {
  entries: await vault.ledger.count(),
  openMs,
  rssMiB,
  decideMs: at(decide, 0.5),
  signMs: at(sign, 0.5),
  signP99Ms: at(sign, 0.99),
  recordMs: at(record, 0.5),
  statusMs: at(status, 0.5),
}
process.stdout.write(`${JSON.stringify(figures)}\n`, () => {
  if (mode === "kill") process.kill(process.pid, "SIGKILL")
})
if (mode !== "kill") await vault.close()

async function timesOf(
  count: number,
  once: (turn: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const timesMs: number[] = []
  for (let turn = 0; turn < count; turn++) {
    const beganMs = performance.now()
    await once(turn)
    timesMs.push(performance.now() - beganMs)
  }
  return timesMs.sort((a, b) => a - b)
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * sorted.length)] ?? Number.NaN
}
