import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { errorCodes } from "../../../../src/sandbox/state/error-codes.ts"
import { rememberNonce, checkNonce, type NonceMemory } from "../../../../src/sandbox/state/venue.ts"
import { numRuns } from "../../../support/runs.ts"
import { dayMs, freshNonce, nowMs, stranger, typeA, wallet, type Fields } from "../signed-bodies.ts"
import { accepted, rejected, venueUnderTest } from "../venue-under-test.ts"

const path = "/v1/trade/orders"
const order: Fields = { symbol_id: 1, is_buy: true, order_type: "market", quantity: "1" }
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

type Signature = { readonly r: string; readonly s: string; readonly v: number }

describe("the signature", () => {
  it("is taken in any case of signer_address", () => {
    const body = typeA(order)
    const signer = wallet.address
    accepted(venueUnderTest().post(path, { ...body, signer_address: signer.toLowerCase() }))
    const upper = `0x${signer.slice(2).toUpperCase()}`
    accepted(venueUnderTest().post(path, { ...body, signer_address: upper }))
  })

  it("is refused when another key made it", () => {
    const body = { ...typeA(order, { signer: stranger }), signer_address: wallet.address }
    rejected(venueUnderTest().post(path, body), "wrong_signer")
  })

  it("is refused when any of its bits is flipped", () => {
    const body = typeA(order)
    const signature = body["signature"] as Signature
    const bit = fc.record({ part: fc.constantFrom("r" as const, "s" as const), at: fc.nat(255) })
    fc.assert(
      fc.property(bit, ({ part, at }) => {
        const flipped = hexWord(BigInt(signature[part]) ^ (1n << BigInt(at)))
        const reply = venueUnderTest().post(path, {
          ...body,
          signature: { ...signature, [part]: flipped },
        })
        const codes: readonly string[] = [errorCodes.wrong_signer, errorCodes.high_s]
        assert.ok(codes.includes(reply.envelope.code), reply.envelope.msg)
      }),
      numRuns(15),
    )
  })

  it("is refused with the other v", () => {
    const body = typeA(order)
    const signature = body["signature"] as Signature
    const swapped = { ...signature, v: 55 - signature.v }
    rejected(venueUnderTest().post(path, { ...body, signature: swapped }), "wrong_signer")
  })

  it("is refused with the high s, although the curve takes it", () => {
    const body = typeA(order)
    const { r, s, v } = body["signature"] as Signature
    const signature = { r, s: hexWord(curveOrder - BigInt(s)), v: 55 - v }
    rejected(venueUnderTest().post(path, { ...body, signature }), "high_s")
  })

  it("is refused when a business field was changed after signing", () => {
    rejected(venueUnderTest().post(path, { ...typeA(order), quantity: "2" }), "wrong_signer")
  })

  it("is refused when a field was added after signing", () => {
    rejected(venueUnderTest().post(path, { ...typeA(order), stp_mode: "none" }), "wrong_signer")
  })

  it("is refused when nonce or expires_after was changed after signing", () => {
    const body = typeA(order)
    const nonce = Number(body["nonce"]) + 1
    const expires_after = Number(body["expires_after"]) + 1
    rejected(venueUnderTest().post(path, { ...body, nonce }), "wrong_signer")
    rejected(venueUnderTest().post(path, { ...body, expires_after }), "wrong_signer")
  })

  it("is refused under another action tag", () => {
    rejected(venueUnderTest().post(path, typeA(order, { tag: 8 })), "wrong_signer")
  })

  it("is refused under the main network's chain id", () => {
    rejected(venueUnderTest().post(path, typeA(order, { chainId: 84_256 })), "wrong_signer")
  })

  const { r, s, v } = typeA(order)["signature"] as Signature
  const malformed = [
    { name: "null", signature: null },
    { name: "an empty object", signature: {} },
    { name: "r without 0x", signature: { r: r.slice(2), s, v } },
    { name: "r of 31 bytes", signature: { r: r.slice(0, -2), s, v } },
    { name: "s of 33 bytes", signature: { r, s: `${s}00`, v } },
    { name: "v 0", signature: { r, s, v: 0 } },
    { name: "v 29", signature: { r, s, v: 29 } },
    { name: 'v "27"', signature: { r, s, v: "27" } },
  ]
  for (const { name, signature } of malformed) {
    it(`is refused as ${name}`, () => {
      rejected(venueUnderTest().post(path, { ...typeA(order), signature }), "invalid_signature")
    })
  }

  it("is refused with r or s of zero", () => {
    const zero = hexWord(0n)
    for (const signature of [
      { r: zero, s, v },
      { r, s: zero, v },
    ]) {
      rejected(venueUnderTest().post(path, { ...typeA(order), signature }), "wrong_signer")
    }
  })
})

describe("the signing fields", () => {
  for (const name of ["signer_address", "nonce", "expires_after", "signature"]) {
    it(`are refused without ${name}`, () => {
      const body = Object.fromEntries(Object.entries(typeA(order)).filter(([key]) => key !== name))
      rejected(venueUnderTest().post(path, body), "missing_field")
    })
  }

  const wrong = [
    { signer_address: "0x1234" },
    { signer_address: 7 },
    { target_address: null },
    { nonce: "1" },
    { nonce: 1.5 },
    { nonce: -1 },
    { expires_after: 2 ** 53 },
  ]
  for (const change of wrong) {
    it(`are refused with ${JSON.stringify(change)}`, () => {
      rejected(venueUnderTest().post(path, { ...typeA(order), ...change }), "invalid_field")
    })
  }
})

describe("the expiry", () => {
  it("refuses a request that expires now, and takes one that expires in 1 ms", () => {
    rejected(venueUnderTest().post(path, typeA(order, { expiresAfter: nowMs })), "expired")
    accepted(venueUnderTest().post(path, typeA(order, { expiresAfter: nowMs + 1 })))
  })
})

describe("the nonce", () => {
  it("is refused the second time, also for another order", () => {
    const venue = venueUnderTest()
    const nonce = freshNonce()
    const body = typeA(order, { nonce })
    accepted(venue.post(path, body))
    rejected(venue.post(path, body), "nonce_repeated")
    rejected(venue.post(path, typeA({ ...order, quantity: "2" }, { nonce })), "nonce_repeated")
  })

  it("is each signer's own", () => {
    const venue = venueUnderTest([wallet.address, stranger.address])
    const nonce = freshNonce()
    accepted(venue.post(path, typeA(order, { nonce })))
    accepted(venue.post(path, typeA(order, { nonce, signer: stranger })))
  })

  const window = [
    { name: "takes one of two days ago", nonce: nowMs - 2 * dayMs, isTaken: true },
    { name: "refuses one a millisecond older", nonce: nowMs - 2 * dayMs - 1, isTaken: false },
    { name: "takes one of a day ahead", nonce: nowMs + dayMs, isTaken: true },
    { name: "refuses one a millisecond later", nonce: nowMs + dayMs + 1, isTaken: false },
  ]
  for (const { name, nonce, isTaken } of window) {
    it(name, () => {
      const reply = venueUnderTest().post(path, typeA(order, { nonce }))
      if (isTaken) accepted(reply)
      else rejected(reply, "nonce_outside_window")
    })
  }

  it("is never taken twice, however many are forgotten", () => {
    const memory: NonceMemory = new Map()
    const used = 25_000
    for (let offset = 0; offset < used; offset++) rememberNonce(memory, "a", nowMs + offset)
    for (const offset of [0, 1, 9_999, 10_000, 10_001, 19_999, 20_000, used - 1]) {
      assert.ok(checkNonce(memory, { signer: "a", nonce: nowMs + offset, nowMs }), String(offset))
    }
    assert.equal(checkNonce(memory, { signer: "a", nonce: nowMs + used, nowMs }), undefined)
    assert.ok((memory.get("a")?.used.size ?? 0) < 20_000)
  })
})

function hexWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`
}
