// That the benchmarks still run and measure what they say. How fast anything is, no test asks.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { recoverTypedDataAddress, type Hex } from "viem"

import { fromHex } from "../../src/std/bytes.ts"
import { nobleCurve } from "../../src/vault/keyring/curve.ts"
import { signatureOf } from "../../src/vault/keyring/keyring.ts"
import { agentStruct, placeOrderTag } from "../../src/venue/builtin-profile.ts"
import { actionHash, typeADigest } from "../../src/venue/signing-hash.ts"
import { readRepositoryFile } from "../support/markdown.ts"
import { actionHashOf } from "./beside/action-hash.ts"
import { signers } from "./beside/signers.ts"
import { startSshAgent } from "./beside/ssh-agent.ts"
import { startFloor } from "./beside/start-floor.ts"
import { startChain, startMinimum, startTwoProcesses } from "./beside/start-minimum.ts"
import { cases } from "./cases.ts"
import { atPace } from "./load/pace.ts"
import { runPace } from "./load/run-pace.ts"
import { timelineOf, type Mark } from "./timeline/marks.ts"
import { runNodeLoad } from "./load/node-load.ts"
import { rawPost } from "./load/post.ts"
import { agentTypes, canonicalOrders, domain, orders, ordersPath } from "./order.ts"
import { barLines } from "./report/bars.ts"
import { plotOf } from "./report/plot.ts"
import { tableOf } from "./report/table.ts"
import { needs } from "../support/needs.ts"
import type { Result } from "./run-case.ts"
import { addressOfSecret } from "../support/key-pair.ts"

const sshPackage = "apt-get install openssh-client"

describe("the benchmarks", () => {
  it("send as many requests as a steady rate asks for", async () => {
    const floor = await startFloor("http")
    try {
      const posts = [rawPost({ url: floor.url, path: "/", body: "{}" })]
      const ask = { url: floor.url, posts, connections: 2, seconds: 0.1, perSecond: 200 }
      assert.equal((await runNodeLoad(ask)).requests, 20)
    } finally {
      await floor.stop()
    }
  })

  it("keep a pace at random moments, and count what waits for the one before", async () => {
    const tookMs = await atPace(() => sleep(20), { perSecond: 100, seconds: 0.5 })
    assert.ok(tookMs.length > 20 && tookMs.length < 100, `${tookMs.length}`)
    // Twice as many are due as can be done, so nearly all wait.
    assert.ok(tookMs.filter((ms) => ms > 25).length > tookMs.length / 2)
  })

  it("measure what is done at a pace in a process of its own", async () => {
    const subject = { kind: "in process", name: "viem, in process" } as const
    const { requests, p50Ms, p99Ms, cpuMicros } = await runPace({
      ...{ subject, perSecond: 100, seconds: 0.3 },
    })
    assert.ok(requests > 5)
    assert.ok(p50Ms > 0 && p50Ms <= p99Ms)
    assert.ok(cpuMicros > 0)
  })

  it("tell when each stage of a request was over, by the marks within its own time", () => {
    const requests = [
      { fromNs: 0, toNs: 9_000 },
      { fromNs: 20_000, toNs: 31_000 },
    ]
    const marks: Mark[] = [
      ["parsed", 2_000],
      ["between", 15_000],
      ["parsed", 23_000],
      ["signed", 4_000],
      ["signed", 30_000],
      ["once", 21_000],
    ]
    assert.deepEqual(
      [...timelineOf(requests, marks)],
      [
        ["parsed", 3],
        ["signed", 10],
        ["client: answer read", 11],
      ],
    )
  })

  it("give up when an answer isn't 200", async () => {
    const floor = await startFloor("express")
    try {
      const broken = rawPost({ url: floor.url, path: "/", body: "{" })
      const ask = { url: floor.url, posts: [broken], connections: 1, seconds: 0.1 }
      await assert.rejects(runNodeLoad(ask), /answered HTTP\/1\.1 400 /)
    } finally {
      await floor.stop()
    }
  })

  it("compare with libraries that sign what the daemon would", async () => {
    const secret = fromHex("11".repeat(32)) ?? new Uint8Array()
    const digest = typeADigest({
      domain: { ...domain, chainId: BigInt(domain.chainId) },
      struct: agentStruct,
      parties: { signer: addressOfSecret(secret), target: undefined },
      actionHash: actionHash(placeOrderTag, canonicalOrders[0] ?? ""),
      validity: { nonce: 1_795_249_011_211, expiresAfterMs: 1_795_249_026_211 },
    })
    const { r, s, v } = signatureOf(nobleCurve.sign(secret, digest))
    const expected = `${r}${s.slice(2)}${v.toString(16)}`
    for (const name of ["viem, in process", "ethers, in process"]) {
      assert.equal(await signers[name]?.()(0), expected, name)
    }
  })

  it("compare with a minimum that is honest: a token, an allow-list and a signature of its own", async () => {
    const minimum = await startMinimum()
    try {
      const [post = ""] = minimum.posts
      const [, token = ""] = /Bearer (\S+)/.exec(post) ?? []
      const place = (shown: string, order: unknown): Promise<Response> =>
        fetch(`${minimum.url}${ordersPath}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${shown}` },
          body: JSON.stringify(order),
        })
      assert.equal((await place("wrong", orders[0])).status, 401)
      assert.equal((await place(token, { ...orders[0], quantity: "0.51" })).status, 403)
      assert.equal((await place(token, null)).status, 400)
      const answers = [await place(token, orders[0]), await place(token, orders[0])]
      const [first, second] = (await Promise.all(answers.map((each) => each.json()))) as Signed[]
      assert.ok(first !== undefined && second !== undefined)
      assert.ok(second.nonce > first.nonce)
      assert.equal(await signerOf(first), first.signer_address)
    } finally {
      await minimum.stop()
    }
  })

  it("compare with the least of the daemon's shape: two processes, a checked signature of one order or of many", async () => {
    const shape = await startTwoProcesses()
    try {
      const ask = async (body: unknown): Promise<string> =>
        (await fetch(shape.url, { method: "POST", body: JSON.stringify(body) })).text()
      const first = JSON.parse(await ask(orders[0])) as Signed
      assert.equal(await signerOf(first), first.signer_address)
      const many = `[${await ask({ requests: [{ body: orders[1] }, { body: orders[0] }] })}]`
      const [second, third] = JSON.parse(many) as readonly Signed[]
      assert.ok(second !== undefined && third !== undefined)
      assert.ok(first.nonce < second.nonce && second.nonce < third.nonce)
      assert.equal(await signerOf(third), first.signer_address)
      assert.equal(await ask({ ...orders[0], quantity: "0.51" }), "")
      assert.equal(shape.pids.vault.length, 1)
    } finally {
      await shape.stop()
    }
  })

  it("compare with the daemon's hops, which answer and do nothing", async () => {
    const chain = await startChain()
    try {
      const posts = [rawPost({ url: chain.url, path: ordersPath, body: "{}" })]
      const ask = { url: chain.url, posts, connections: 1, seconds: 0.1, perSecond: 100 }
      assert.equal((await runNodeLoad(ask)).requests, 10)
    } finally {
      await chain.stop()
    }
  })

  it("compare with ssh-agent, which signs each time", needs("ssh-agent", sshPackage), async () => {
    const agent = await startSshAgent()
    try {
      assert.ok((await agent.sign(0.1)).requests > 0)
    } finally {
      await agent.stop()
    }
  })

  it("are each named in the README", () => {
    const text = readRepositoryFile("test/bench/README.md")
    for (const { name } of cases) assert.ok(text.includes(`\`${name}\``), name)
  })
})

type Signed = {
  readonly nonce: number
  readonly expires_after: number
  readonly signer_address: Hex
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly v: number }
}

/** Who signed the first order, as viem recovers it. */
function signerOf({ nonce, expires_after, signer_address, signature }: Signed): Promise<Hex> {
  return recoverTypedDataAddress({
    ...{ domain, types: agentTypes, primaryType: "Agent" },
    message: {
      signerAddress: signer_address,
      actionHash: actionHashOf(canonicalOrders[0] ?? ""),
      nonce: BigInt(nonce),
      expiresAfter: BigInt(expires_after),
    },
    signature: { ...signature, v: BigInt(signature.v) },
  })
}

describe("the report of the benchmarks", () => {
  const spread = (median: number) => ({
    ...{ median, least: median * 0.9, most: median * 1.1 },
    rounds: [median * 0.9, median, median * 1.1],
  })
  const result = (subject: string, p50Ms: number): Result => ({
    case: "sign-http",
    subject,
    figures: { "/s": spread(1_000 / p50Ms), "p50 ms": spread(p50Ms) },
  })
  const results = [result("sign, 1 conn", 0.7), result("viem, in process", 0.4)]

  it("has a row for each subject, with the spread", () => {
    assert.deepEqual(tableOf(results), [
      "                           /s      p50 ms",
      "sign, 1 conn       1,429 ±10%   0.70 ±10%",
      "viem, in process   2,500 ±10%   0.40 ±10%",
    ])
  })

  it("holds each bar against the ratio in the same run, and says what isn't measured here", () => {
    const [, p50 = "", ...others] = barLines(results)
    assert.match(p50, /≤ 1\.7 +1\.75 +no$/)
    const byAnvil = others.find((line) => line.includes("those of anvil"))
    assert.match(byAnvil ?? "", /≥ 0\.33 +not here$/)
    const reached = barLines([result("sign, 1 conn", 0.68), result("viem, in process", 0.4)])
    assert.match(reached[1] ?? "", /≤ 1\.7 +1\.70 +yes$/)
  })

  it("plots a bar for each subject", () => {
    const svg = plotOf(results)
    assert.match(svg, /^<svg .*<\/svg>\n$/s)
    assert.equal([...svg.matchAll(/fill="#/g)].length, results.length)
  })
})

describe("what the benchmarks compare with", () => {
  type Lock = { readonly packages: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  const lock = JSON.parse(readRepositoryFile("test/bench/package-lock.json")) as Lock

  it("is locked by exact version and integrity hash, and by no host", () => {
    const { "": asked, ...installed } = lock.packages
    assert.deepEqual(asked?.["optionalDependencies"], {
      "@foundry-rs/anvil-linux-amd64": "1.7.1",
    })
    for (const [path, { resolved, integrity, hasInstallScript }] of Object.entries(installed)) {
      assert.equal(resolved, undefined, path)
      assert.match(String(integrity), /^sha512-/, path)
      assert.equal(hasInstallScript, undefined, path)
    }
  })
})
