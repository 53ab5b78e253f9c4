import assert from "node:assert/strict"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, before, describe, it } from "node:test"

import { curveFinding } from "../../../../src/commands/doctor/key-findings.ts"
import { err, ok } from "../../../../src/std/result.ts"
import {
  loadNativeCurve,
  nativeCurve as curveOf,
  type Addon,
  nobleCurve,
  pickCurve,
} from "../../../../src/vault/keyring/curve.ts"
import type { Digest } from "../../../../src/venue/signing-hash.ts"
import { bytes32, nativeCurve, needsNative } from "../../../support/curves.ts"

const require = createRequire(import.meta.url)
const secret = bytes32(7n)
const digest = bytes32(9n) as Digest

describe("pickCurve", () => {
  it("picks libsecp256k1 where it loads, without a word", () => {
    const picked = pickCurve(() => ok({ ...nobleCurve, name: "libsecp256k1" }))
    assert.deepEqual([picked.name, picked.warning], ["libsecp256k1", undefined])
    assert.deepEqual(curveFinding(picked), {
      check: "curve",
      state: "ok",
      message: "libsecp256k1 signs, in constant time.",
      fix: null,
    })
  })

  it("picks JavaScript where it doesn't, and says why", () => {
    const picked = pickCurve(() => err("there is none for plan9 on mips"))
    assert.equal(picked.name, "noble")
    assert.match(picked.warning ?? "", /JavaScript.*\(there is none for plan9 on mips\)\.$/)
    assert.match(picked.warning ?? "", /copies of keys stay in memory after a lock/)
    assert.deepEqual(picked.sign(secret, digest), nobleCurve.sign(secret, digest))
    const { state, message } = curveFinding(picked)
    assert.deepEqual([state, message], ["warn", picked.warning])
  })
})

describe("loadNativeCurve", () => {
  const shipped = `prebuilds/${process.platform}-${process.arch}`
  let directory = ""
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "cs-curve-"))
    mkdirSync(join(directory, shipped), { recursive: true })
  })
  after(() => rmSync(directory, { recursive: true }))

  it("runs nothing but the addon: neither elliptic nor what would look for one elsewhere", () => {
    // What doctor says of the curve is tested here too, and reads configuration.
    const isOurs = (path: string): boolean => path.endsWith(".node") || path.includes("/yaml/")
    assert.deepEqual(
      Object.keys(require.cache).filter((path) => !isOurs(path)),
      [],
    )
  })

  it("says that there is none in a package for other systems", () => {
    const none = `there is none for ${process.platform} on ${process.arch}`
    assert.deepEqual(loadNativeCurve(directory), err(none))
    assert.deepEqual(loadNativeCurve(join(directory, "missing")), err(none))
  })

  it("says why a file can't be loaded", () => {
    writeFileSync(join(directory, shipped, "secp256k1.glibc.node"), "no addon")
    const { ok: isLoaded, error } = loadNativeCurve(directory) as ReturnType<typeof err<string>>
    assert.equal(isLoaded, false)
    assert.match(error, /secp256k1\.glibc\.node: \S[^\n]*[^.]$/)
  })

  it("takes the next where one is for another C library", needsNative, () => {
    const from = join(dirname(require.resolve("secp256k1/package.json")), shipped)
    writeFileSync(join(directory, shipped, "secp256k1.glibc.node"), "for another")
    const own = readdirSync(from).find((name) => !name.includes("musl")) ?? ""
    cpSync(join(from, own), join(directory, shipped, "secp256k1.node"))
    const loaded = loadNativeCurve(directory)
    assert.ok(loaded.ok)
    assert.deepEqual(loaded.value.sign(secret, digest), nativeCurve.sign(secret, digest))
  })
})

describe("an addon that fails", () => {
  const addon: Addon = {
    contextRandomize: () => 0,
    publicKeyCreate: () => 0,
    ecdsaSign: () => 0,
    ecdsaRecover: () => 0,
  }

  it("isn't used when it can't be blinded", () => {
    assert.throws(() => curveOf({ ...addon, contextRandomize: () => 1 }), /blinded/)
  })

  it("is blinded with other bytes each time", () => {
    const seeds: Uint8Array[] = []
    for (let left = 2; left > 0; left--) {
      curveOf({ ...addon, contextRandomize: (seed) => (seeds.push(Uint8Array.from(seed)), 0) })
    }
    assert.notDeepEqual(seeds[0], seeds[1])
    assert.deepEqual(
      seeds.map((seed) => seed.length),
      [32, 32],
    )
  })

  it("signs nothing, and finds nobody, where it says that it failed", () => {
    const failures = { publicKeyCreate: () => 1, ecdsaSign: () => 1, ecdsaRecover: () => 1 }
    const failing = curveOf({ ...addon, ...failures })
    assert.throws(() => failing.publicKeyOf(secret), RangeError)
    assert.throws(() => failing.sign(secret, digest), RangeError)
    assert.equal(failing.recover(nobleCurve.sign(secret, digest), digest), undefined)
  })

  it("is asked about no signature that can't be one", () => {
    const asked = curveOf({ ...addon, ecdsaRecover: () => assert.fail("asked") })
    const made = nobleCurve.sign(secret, digest)
    for (const recovery of [-1, 4, 1.5, NaN]) {
      assert.equal(asked.recover({ ...made, recovery }, digest), undefined)
    }
  })
})
