// That the benchmarks still run and measure what they say. How fast anything is, no test asks.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { fromHex } from "../../src/std/bytes.ts"
import { nobleCurve } from "../../src/vault/keyring/noble-curve.ts"
import { signatureOf } from "../../src/vault/keyring/open-keyring.ts"
import { agentStruct, placeOrderTag } from "../../src/venue/endpoints.ts"
import { actionHash, typeADigest } from "../../src/venue/signing-hash.ts"
import { readRepositoryFile } from "../support/markdown.ts"
import { signers } from "./beside/signers.ts"
import { startFloor } from "./beside/start-floor.ts"
import { cases } from "./cases.ts"
import { runNodeLoad } from "./load/node-load.ts"
import { rawPost } from "./load/post.ts"
import { readOptions } from "./options.ts"
import { canonicalOrders, domain } from "./order.ts"
import { barLines } from "./report/bars.ts"
import { plotOf } from "./report/plot.ts"
import { tableOf } from "./report/table.ts"
import { runCase, type Result } from "./run-case.ts"
import { addressOfSecret } from "../support/key-pair.ts"

const { settings } = readOptions(
  "--checkout --load node --seconds 0.1 --warm-up-seconds 0.1 --rounds 1 --records 1000".split(" "),
)

describe("the benchmarks", () => {
  for (const name of ["forward", "decision", "audit-verify"]) {
    it(`measure ${name}`, async () => {
      const { results } = await runCase(
        cases.find((each) => each.name === name)!,
        settings,
      )
      assert.ok(results.length > 0)
      for (const { subject, figures } of results) {
        const medians = Object.values(figures).map(({ median }) => median)
        assert.ok(medians.length > 0 && medians.every(Number.isFinite), subject)
      }
    })
  }

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

  it("are each named in the README", () => {
    const text = readRepositoryFile("test/bench/README.md")
    for (const { name } of cases) assert.ok(text.includes(`\`${name}\``), name)
  })
})

describe("the report of the benchmarks", () => {
  const spread = (median: number) => ({ median, least: median * 0.9, most: median * 1.1 })
  const result = (subject: string, p50Ms: number): Result => ({
    case: "sign-http",
    subject,
    figures: { "/s": spread(1_000 / p50Ms), "p50 ms": spread(p50Ms) },
  })
  const results = [result("sign, 1 conn", 0.5), result("viem, in process", 0.4)]

  it("has a row for each subject, with the spread", () => {
    assert.deepEqual(tableOf(results), [
      "                           /s      p50 ms",
      "sign, 1 conn       2,000 ±10%   0.50 ±10%",
      "viem, in process   2,500 ±10%   0.40 ±10%",
    ])
  })

  it("holds each bar against the ratio in the same run, and says what isn't measured here", () => {
    const [, p50 = "", byAnvil = ""] = barLines(results)
    assert.match(p50, /≤ 1 +1\.25 +no$/)
    assert.match(byAnvil, /≥ 0\.4 +not here$/)
    const reached = barLines([result("sign, 1 conn", 0.4), result("viem, in process", 0.4)])
    assert.match(reached[1] ?? "", /≤ 1 +1\.00 +yes$/)
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
