import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { exposition } from "../../../../src/gate/metrics/exposition.ts"
import type { MetricFamily, NumberFamily } from "../../../../src/link/views/metrics.ts"

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
