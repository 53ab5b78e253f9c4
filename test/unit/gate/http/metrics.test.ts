import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { Pool } from "undici"

import { exposition, sendOutcomes } from "../../../../src/gate/http/metrics.ts"
import { errorCodes } from "../../../../src/gate/http/problem.ts"
import type { Sent } from "../../../../src/gate/upstream/exchange.ts"
import type { Upstream } from "../../../../src/gate/upstream/upstream.ts"
import type { MetricFamily, NumberFamily } from "../../../../src/conditions/metric-family.ts"
import { noMeasures } from "../../../support/facts.ts"
import { token } from "../../../support/fake-vault.ts"
import { assertRefused, jsonHeaders, startGate, type TestGate } from "../../../support/gate.ts"
import { readRepositoryFile } from "../../../support/markdown.ts"
import { seededRandom, type SeededRandom } from "../../../support/seeded-random.ts"
import { unwatched } from "../../../support/send-ask.ts"

const authorization = `Bearer ${token}`

async function metricsOf(gate: TestGate): Promise<string> {
  const { status, text } = await gate.ask({ path: "/metrics", headers: { authorization } })
  assert.equal(status, 200)
  return text
}

/** The values of a label, wherever it is. */
function valuesOf(text: string, label: string): ReadonlySet<string> {
  const values = [...text.matchAll(new RegExp(`[{,]${label}="([^"]*)"`, "g"))]
  return new Set(values.map(([, value = ""]) => value))
}

describe("GET /metrics of the gate", () => {
  it("is plain text of Prometheus' format, said by the daemon", async (t) => {
    const gate = await startGate(t)
    const { headers, text } = await gate.ask({ path: "/metrics", headers: { authorization } })
    assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
    assert.equal(headers["countersign-source"], "daemon")
    assert.equal(headers["cache-control"], "no-store")
    assert.match(text, /^# HELP countersign_http_requests_in_flight .*\n# TYPE .* gauge$/m)
  })

  it("takes no call without a token, and asks the vault nothing then", async (t) => {
    const gate = await startGate(t)
    assertRefused(await gate.ask({ path: "/metrics" }), 401, "unauthorized")
    assert.deepEqual(gate.vault.calls, [])
  })

  it("refuses whom the vault refuses", async (t) => {
    const refusal = { code: "right_missing", message: "No.", data: { right: "metrics" } } as const
    const gate = await startGate(t, {
      script: { metrics: () => ({ kind: "refused", refusal, record: null }) },
    })
    const reply = await gate.ask({ path: "/metrics", headers: { authorization } })
    assertRefused(reply, 403, "right_missing")
    assert.doesNotMatch(reply.text, /countersign_/)
  })

  it("takes no other method", async (t) => {
    const gate = await startGate(t)
    assertRefused(await gate.post("/metrics"), 405, "method_not_allowed")
  })

  it("adds what the vault tells to its own", async (t) => {
    const measures = { ...noMeasures, frozen: [{ scope: "all", name: null }] } as const
    const gate = await startGate(t, {
      script: { metrics: () => ({ kind: "answer", measures }) },
    })
    const text = await metricsOf(gate)
    assert.match(text, /^countersign_frozen\{scope="all",name=""\} 1$/m)
    assert.match(text, /^countersign_http_requests_in_flight 1$/m)
  })

  it("counts calls by route and answer, and times them", async (t) => {
    const gate = await startGate(t)
    await gate.post("/sign/v1/trade/orders")
    await gate.post("/sign/v1/trade/orders/cancel")
    await gate.ask({ path: "/whoami" })
    await gate.ask({ path: "/nothing" })
    const text = await metricsOf(gate)
    const sign = 'method="POST",route="/sign/v1/*path"'
    assert.match(
      text,
      new RegExp(`requests_total\\{${sign.replaceAll("*", "\\*")},code="ok"\\} 2$`, "m"),
    )
    assert.match(text, /requests_total\{method="GET",route="\/whoami",code="unauthorized"\} 1$/m)
    assert.match(text, /requests_total\{method="",route="",code="unknown_endpoint"\} 1$/m)
    assert.match(text, /duration_seconds_count\{method="POST",route="\/sign\/v1\/\*path"\} 2$/m)
    assert.match(text, /request_stage_duration_seconds_count\{stage="vault"\} 2$/m)
    assert.match(text, /request_stage_duration_seconds_count\{stage="venue"\} 0$/m)
  })

  for (const [outcome, sent] of [
    ["accepted", answered(200, '{"code":"0"}')],
    ["refused", answered(200, '{"code":"10029"}')],
    ["unknown", answered(500, "oops")],
    ["unknown", { kind: "unknown", status: null, cause: "reset" }],
    ["unsent", { kind: "unsent", cause: "refused" }],
  ] as const) {
    it(`counts a request that is ${outcome} (${sent.kind})`, async (t) => {
      const gate = await startGate(t, { upstream: upstreamOf(() => sent) })
      await gate.post("/v1/trade/orders")
      const text = await metricsOf(gate)
      for (const each of sendOutcomes) {
        const count = each === outcome ? 1 : 0
        const line = `countersign_upstream_requests_total{outcome="${each}"} ${count}\n`
        assert.ok(text.includes(line), line)
      }
    })
  }

  it("has no more series after 2,500 random requests than its lists of labels allow", async (t) => {
    const random = seededRandom("metrics of the gate")
    const sends: readonly Sent[] = [
      answered(200, '{"code":"0"}'),
      { kind: "unknown", status: null, cause: "reset" },
      { kind: "unsent", cause: "refused" },
    ]
    const pickSent = () =>
      random.isOneIn(2)
        ? random.pick(sends)
        : answered(200 + random.below(800), JSON.stringify({ code: `${random.below(1e9)}` }))
    const gate = await startGate(t, { upstream: upstreamOf(pickSent) })
    const pool = new Pool(`http://127.0.0.1:${gate.port}`, { connections: 8, pipelining: 16 })
    t.after(() => pool.close())
    for (let hundred = 0; hundred < 25; hundred += 1) {
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const { body } = await pool.request(randomRequest(random))
          await body.dump()
        }),
      )
    }
    const text = await metricsOf(gate)
    const paths = readRepositoryFile("src/gate/routes.ts").matchAll(
      /^ +(?:get|post)\(\s*"([^"]+)"/gm,
    )
    const routes = new Set([...paths].map(([, path = ""]) => path))
    const isOf = (label: string, known: readonly string[]) => {
      const strange = [...valuesOf(text, label)].filter((value) => !known.includes(value))
      assert.deepEqual(strange, [], label)
    }
    isOf("route", ["", ...routes])
    isOf("method", ["", "GET", "POST"])
    isOf("code", ["ok", "venue", "gone", ...errorCodes])
    isOf("outcome", sendOutcomes)
    const counted = [...text.matchAll(/^countersign_http_requests_total\{.*\} (\d+)$/gm)]
    const sum = counted.reduce((total, [, count]) => total + Number(count), 0)
    assert.equal(sum, 2_500)
  })
})

function answered(status: number, body: string): Sent {
  return { kind: "answered", answer: { status, headers: {}, body: Buffer.from(body) } }
}

function upstreamOf(next: () => Sent): Upstream {
  return {
    address: "https://venue.test",
    send(ask) {
      const sent = next()
      if (sent.kind !== "unsent") ask.maySend()
      return Promise.resolve(sent)
    },
    fetch: () => Promise.resolve(next()),
    ...unwatched,
    close: () => Promise.resolve(),
  }
}

function randomRequest(random: SeededRandom): Parameters<Pool["request"]>[0] {
  const word = () => random.below(1e9).toString(36)
  const path = random.pick([
    `/${word()}`,
    `/v1/${word()}/${word()}`,
    `/sign/v1/${word()}`,
    `/check/v1/${word()}`,
    `/records/${word()}`,
    `/records?idempotency_key=${word()}`,
    "/v1/trade/orders",
    "/sign/batch",
    "/whoami",
    `/metrics/${word()}`,
    `/%${word()}`,
  ])
  const method = random.pick(["GET", "POST", "POST", "PUT", "DELETE"] as const)
  const strange = { [`x-${word()}`]: word(), [`countersign-${word()}`]: word() }
  const headers = random.pick([jsonHeaders, jsonHeaders, strange, { ...jsonHeaders, ...strange }])
  return { path, method, headers, ...(method !== "GET" && { body: `{"${word()}": "${word()}"}` }) }
}

const gauge: NumberFamily = {
  name: "room_bytes",
  help: "Room.",
  type: "gauge",
  labels: [],
  series: [[[], 12.5]],
}

const written = (...families: readonly MetricFamily[]): readonly string[] =>
  exposition(families).split("\n")

describe("the text that Prometheus reads", () => {
  it("has help, type and value of a metric", () => {
    assert.deepEqual(written(gauge), [
      "# HELP room_bytes Room.",
      "# TYPE room_bytes gauge",
      "room_bytes 12.5",
      "",
    ])
  })

  it("has every label with its value", () => {
    const series = [
      [["a", "b"], 1],
      [["c", ""], 2],
    ] as const
    const [, , ...lines] = written({ ...gauge, labels: ["one", "two"], series })
    assert.deepEqual(lines, ['room_bytes{one="a",two="b"} 1', 'room_bytes{one="c",two=""} 2', ""])
  })

  it("escapes what would end a value, a line or an escape", () => {
    const family = { ...gauge, help: "a\\b\nc", labels: ["one"], series: [[['\\"\n'], 1]] } as const
    const [help, , line] = written(family)
    assert.equal(help, String.raw`# HELP room_bytes a\\b\nc`)
    assert.equal(line, String.raw`room_bytes{one="\\\"\n"} 1`)
  })

  it("adds a histogram's parts up to its buckets, the last without bound", () => {
    const observed = { counts: [2, 0, 3], sum: 7.5 }
    const family: MetricFamily = {
      ...{ name: "wait_seconds", help: "Wait.", type: "histogram", labels: ["stage"] },
      ...{ bounds: [0.00005, 1], series: [[["sign"], observed]] },
    }
    const [, , ...lines] = written(family)
    assert.deepEqual(lines, [
      'wait_seconds_bucket{stage="sign",le="0.00005"} 2',
      'wait_seconds_bucket{stage="sign",le="1"} 2',
      'wait_seconds_bucket{stage="sign",le="+Inf"} 5',
      'wait_seconds_sum{stage="sign"} 7.5',
      'wait_seconds_count{stage="sign"} 5',
      "",
    ])
  })

  it("says once what gate and vault both tell", () => {
    const part = (name: string): MetricFamily => ({
      ...gauge,
      labels: ["part"],
      series: [[[name], 1]],
    })
    const lines = written(part("gate"), { ...gauge, name: "other" }, part("vault"))
    assert.deepEqual(lines.slice(2, 4), ['room_bytes{part="gate"} 1', 'room_bytes{part="vault"} 1'])
    assert.equal(lines.filter((line) => line.startsWith("# TYPE room_bytes ")).length, 1)
  })

  it("leaves out a metric that has no value now", () => {
    assert.equal(exposition([{ ...gauge, series: [] }]), "")
  })
})
