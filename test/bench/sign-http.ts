// Signing over HTTP: policy, durable record, signature, at 1 and 16 connections; beside it, in the same
// run, what a bot pays that signs the same order in its own process with viem.

import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { performance } from "node:perf_hooks"

import { Pool } from "undici"
import { privateKeyToAccount } from "viem/accounts"

import { limitOrder } from "../support/bot.ts"
import { countersignJson, makeInstallation, serve } from "../support/countersign.ts"

/** A signer has one nonce a millisecond, so a fast run needs several. */
const keyCount = 16
const seconds = 5
const rounds = 3

const policy = `policy: bench
rules:
  - {name: quote, endpoints: [placeOrder], symbols: [BTC-PERP], max_quantity: "1", max_notional: "100000"}
`

type Row = {
  readonly what: string
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Measures in rounds, A B A B, and prints the median round of each. */
export async function bench(): Promise<void> {
  const installation = await makeInstallation()
  await writeFile(join(installation.dir, "policies/bench.yaml"), policy, { mode: 0o600 })
  const tokens = await addBots(installation.dir)
  const daemon = await serve(installation.dir)
  try {
    const measured: Row[][] = []
    await load(daemon.url, tokens, 16) // warm-up
    for (let round = 0; round < rounds; round++) {
      measured.push([
        await load(daemon.url, tokens, 1),
        await load(daemon.url, tokens, 16),
        await inProcessViem(),
      ])
    }
    printMedians(measured)
  } finally {
    await daemon.stop()
    await installation.remove()
  }
}

async function addBots(dir: string): Promise<readonly string[]> {
  const tokens: string[] = []
  for (let index = 0; index < keyCount; index++) {
    const name = `k${index}`
    await countersignJson(["keys", "generate", "--dir", dir, "--name", name, "--role", "agent"])
    const client = ["clients", "add", `bot${index}`, "--dir", dir, "--keys", name]
    const { token } = await countersignJson<{ token: string }>(client)
    tokens.push(token)
  }
  return tokens
}

async function load(url: string, tokens: readonly string[], connections: number): Promise<Row> {
  const pool = new Pool(url, { connections, pipelining: 1 })
  const body = JSON.stringify(limitOrder())
  const timesMs: number[] = []
  const endMs = performance.now() + seconds * 1_000
  let next = 0
  async function oneConnection(): Promise<void> {
    while (performance.now() < endMs) {
      const token = tokens[next++ % tokens.length] ?? ""
      const startMs = performance.now()
      const { statusCode, body: answer } = await pool.request({
        method: "POST",
        path: "/sign/v1/trade/orders",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      })
      const text = await answer.text()
      if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text}`)
      timesMs.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: connections }, oneConnection))
  await pool.close()
  const what = `sign over HTTP, ${connections} connection${connections === 1 ? "" : "s"}`
  return rowOf(what, timesMs, seconds)
}

async function inProcessViem(): Promise<Row> {
  const account = privateKeyToAccount(`0x${"11".repeat(32)}`)
  const timesMs: number[] = []
  const endMs = performance.now() + 1_000
  while (performance.now() < endMs) {
    const startMs = performance.now()
    await account.signTypedData({
      domain: { name: "Service", version: "1", chainId: 84256 },
      types: {
        Agent: [
          { name: "signerAddress", type: "address" },
          { name: "nonce", type: "uint64" },
        ],
      },
      primaryType: "Agent",
      message: { signerAddress: account.address, nonce: BigInt(timesMs.length) },
    })
    timesMs.push(performance.now() - startMs)
  }
  return rowOf("viem in process", timesMs, 1)
}

function rowOf(what: string, timesMs: readonly number[], lastedSeconds: number): Row {
  const sorted = timesMs.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN
  return { what, perSecond: sorted.length / lastedSeconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

function printMedians(measured: readonly (readonly Row[])[]): void {
  for (const [index, { what }] of (measured[0] ?? []).entries()) {
    const byRate = measured
      .flatMap((round) => round[index] ?? [])
      .sort((a, b) => a.perSecond - b.perSecond)
    const median = byRate[Math.floor(byRate.length / 2)]
    if (median === undefined) continue
    const { perSecond, p50Ms, p99Ms } = median
    process.stdout.write(
      `  ${what.padEnd(34)} ${perSecond.toFixed(0).padStart(7)}/s  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms\n`,
    )
  }
}
