import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { readLogLevel, logLevels } from "../../../src/std/log.ts"

describe("the level that the environment asks for", () => {
  it("is info where it asks for none", () => assert.equal(readLogLevel({}), "info"))

  for (const level of logLevels) {
    it(`is ${level}`, () => assert.equal(readLogLevel({ COUNTERSIGN_LOG_LEVEL: level }), level))
  }

  for (const asked of ["", "loud", "Debug", "debug ", "toString"]) {
    it(`is refused where it is "${asked}"`, () => {
      assert.throws(() => readLogLevel({ COUNTERSIGN_LOG_LEVEL: asked }), {
        code: "usage",
        message: "COUNTERSIGN_LOG_LEVEL must be debug, info, warn or error.",
      })
    })
  }
})
