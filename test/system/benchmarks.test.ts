// That the benchmarks which need a daemon still run, and measure what they say. How fast anything is, no test asks.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { cases } from "../bench/cases.ts"
import { readOptions } from "../bench/options.ts"
import { runCase } from "../bench/run-case.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { numRuns } from "../support/runs.ts"

const { settings } = readOptions(
  "--checkout --load node --seconds 0.1 --warm-up-seconds 0.1 --rounds 1 --records 1000 --steady-seconds 1 --pace 40 --requests 20".split(
    " ",
  ),
)

describe("the benchmarks", () => {
  // The whole run has no time for these.
  const isLong = numRuns(1).numRuns > 1
  const long = isLong ? ["pace"] : []
  const onPostgres = isLong ? ["fleet-start", "fleet-alone", "fleet", "fleet-steady"] : []
  for (const name of [
    "timeline",
    "budget",
    "forward",
    "decision",
    "audit-verify",
    ...long,
    ...onPostgres,
  ]) {
    it(`measure ${name}`, onPostgres.includes(name) ? needsPostgres : {}, async () => {
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
})
