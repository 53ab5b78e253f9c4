import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { gateLimits } from "../../../../src/gate/process/gate-limits.ts"
import { isInTime } from "../../../../src/gate/sign/sign.ts"
import type { BotResults } from "../../../../src/link/calls/methods.ts"
import type { Refusal } from "../../../../src/contract/refusal.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { momentIn } from "../../../../src/std/time/moment.ts"
import { signedBody, token } from "../../../support/fake-vault.ts"
import { assertRefused, jsonHeaders, startGate } from "../../../support/gate.ts"

const order = "/v1/trade/orders"

/** What the vault gives out, which may be handed on for so long. */
function signedFor(leftMs: number) {
  const bytes = { path: order, body: signedBody, expiresAfter: 9e15, goodForMs: 5_000 }
  return {
    kind: "answer",
    record: "r-1",
    ...bytes,
    outBy: momentIn(leftMs),
  } as const
}

describe("what other hosts count on not to come out after a time", () => {
  it("is handed on until then by both clocks, to the millisecond, and always where no time is said", (t) => {
    t.mock.method(Date, "now", () => 1_000)
    t.mock.method(process.hrtime, "bigint", () => 50_000_000n)
    const isInTimeBy = (wallMs: number, monotonicMs: number) =>
      isInTime({ outBy: { wallMs, monotonicMs } })
    assert.equal(isInTimeBy(1_000, 50), true)
    assert.equal(isInTimeBy(999, 50), false)
    assert.equal(isInTimeBy(1_000, 49), false)
    assert.equal(isInTime({ outBy: undefined }), true)
  })

  it("isn't given to a bot later", async (t) => {
    let leftMs = 60_000
    const gate = await startGate(t, { script: { sign: () => signedFor(leftMs) } })
    assert.equal((await gate.post(`/sign${order}`)).status, 200)
    leftMs = -1
    const late = await gate.post(`/sign${order}`)
    assertRefused(late, 503, "ledger_unavailable")
    assert.equal(late.headers["countersign-record"], "r-1")
    assert.doesNotMatch(late.text, /signature/)
  })

  it("isn't given to a bot later in a batch, whose others are", async (t) => {
    const results = [signedFor(-1), signedFor(60_000)]
    const gate = await startGate(t, {
      script: { signBatch: () => ({ kind: "answer", results }) },
    })
    const { envelope } = await gate.post("/sign/batch")
    const each = envelope.data["results"] as readonly { status: number; body: string | null }[]
    assert.deepEqual(
      each.map(({ status, body }) => [status, body]),
      [
        [503, null],
        [200, signedBody],
      ],
    )
  })
})

const path = "/sign/batch"

const signed = { kind: "answer", record: "r-1", path: "/v1/x", body: signedBody } as const

function refused(refusal: Refusal, record: string | null = null) {
  return { kind: "refused", refusal, record } as const
}

function spent(retryAfterMs: number | null): Refusal {
  return {
    code: "limit_exhausted",
    message: "It is spent.",
    data: {
      policy: "p",
      limit: "l",
      max: "1",
      used: "1",
      asked: "1",
      room: "0",
      frees_at: null,
      retry_after_ms: retryAfterMs,
    },
  }
}

describe("POST /sign/batch", () => {
  it("gives the vault the bytes as they came, and takes no header of a single request", async (t) => {
    const gate = await startGate(t)
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
    assert.equal((await gate.post(path, body)).status, 200)
    const params = { token, body: body.toString("base64") }
    assert.deepEqual(gate.vault.calls, [{ method: "signBatch", params }])
    for (const name of ["Countersign-Key", "Countersign-Expires-In", "Idempotency-Key"]) {
      assertRefused(await gate.post(path, body, { [name]: "1" }), 400, "invalid_header")
    }
    assert.equal(gate.vault.calls.length, 1)
  })

  it("answers what /sign would, request by request", async (t) => {
    const denied: Refusal = { code: "key_not_allowed", message: "No.", data: { key: "mm" } }
    const answer: BotResults["signBatch"] = {
      kind: "answer",
      results: [
        { ...signed, expiresAfter: 12, goodForMs: 5 },
        refused(denied, "r-2"),
        { ...signed, expiresAfter: 12, goodForMs: 5, repeat: "first" },
        { ...signed, expiresAfter: 12, goodForMs: 5, repeat: "perhaps_sent" },
        refused(spent(1_001)),
        refused(spent(null)),
      ],
    }
    const gate = await startGate(t, { script: { signBatch: () => answer } })
    const reply = await gate.post(path)
    assert.deepEqual([reply.status, reply.envelope.code], [200, "0"])
    assert.equal(reply.headers["countersign-source"], "daemon")
    const results = reply.envelope.data["results"] as readonly object[]
    const yes = {
      status: 200,
      record: "r-1",
      repeat: false,
      expires_after: 12,
      retry_after: null,
      body: signedBody,
      error: null,
    }
    const no = { ...yes, status: 403, record: "r-2", expires_after: null, body: null }
    const said = { code: "key_not_allowed", msg: "No.", data: { key: "mm" } }
    const error = { ...said, do: "fix_request", trace_code: "r-2" }
    assert.deepEqual(results.slice(0, 4), [yes, { ...no, error }, yes, { ...yes, repeat: true }])
    assert.deepEqual(
      results.slice(4).map((each) => ({ ...each, error: undefined })),
      [2, null].map((retry_after) => ({
        ...{ ...no, status: 429, record: null, retry_after },
        error: undefined,
      })),
    )
  })

  it("is refused as a whole by the vault, and when the vault breaks", async (t) => {
    let answer = (): BotResults["signBatch"] =>
      refused({ code: "unauthorized", message: "No.", data: null })
    const gate = await startGate(t, { script: { signBatch: () => answer() } })
    const reply = await gate.post(path)
    assertRefused(reply, 401, "unauthorized")
    assert.equal(reply.headers["www-authenticate"], "Bearer")
    answer = () => {
      throw new Fault("ledger_unavailable", "The disk is full.")
    }
    assertRefused(await gate.post(path), 503, "ledger_unavailable")
  })

  it("takes a body of the usual bound, and POST alone", async (t) => {
    const gate = await startGate(t)
    const { maxBodyBytes } = gateLimits
    assert.equal((await gate.post(path, " ".repeat(maxBodyBytes))).status, 200)
    const over = await gate.post(path, " ".repeat(maxBodyBytes + 1))
    assertRefused(over, 413, "body_too_large")
    const got = await gate.ask({ path, headers: jsonHeaders })
    assertRefused(got, 405, "method_not_allowed")
    for (const other of ["/sign/batch/", "/sign/batch/v1", "/v1/sign/batch/../x", "/check/batch"]) {
      const reply = await gate.ask({ path: other, headers: jsonHeaders })
      assert.notEqual(reply.status, 200, other)
    }
  })

  it("has a bound of its own on what is at work, which leaves room for all else", async (t) => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const waited = async (): Promise<BotResults["signBatch"]> => {
      await promise
      return { kind: "answer", results: [] }
    }
    const limits = { maxBatches: 4 } // half of them for one client
    const gate = await startGate(t, { limits, script: { signBatch: waited } })
    await gate.post("/sign/v1/trade/orders") // by now the gate knows the client
    const first = [gate.post(path), gate.post(path)]
    // The vault has both, or the third came before one of them: it is then one of the two that wait.
    const third = gate.post(path)
    const refusal = await Promise.race([third, ...first])
    assertRefused(refusal, 503, "overloaded")
    assert.equal(refusal.headers["retry-after"], "1")
    assert.equal((await gate.post("/sign/v1/trade/orders")).status, 200)
    resolve(undefined)
    const replies = await Promise.all([...first, third])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 200, 503])
    assert.equal((await gate.post(path)).status, 200)
  })
})
