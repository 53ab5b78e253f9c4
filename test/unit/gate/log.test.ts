import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { createLog, errorFields, type LogEntry } from "../../../src/gate/log.ts"

describe("log", () => {
  it("writes a JSON line with a time and the fields it knows, and no other", () => {
    const lines: string[] = []
    const log = createLog("info", (line) => lines.push(line))
    const entry = { level: "info", event: "request", status: 200, token: "canary", body: "canary" }
    log(entry as LogEntry)
    assert.equal(lines.length, 1)
    assert.match(
      lines[0] ?? "",
      /^\{"time":"[^"]+Z","level":"info","event":"request","status":200\}\n$/,
    )
  })

  it("leaves out what is below its level", () => {
    const lines: string[] = []
    const log = createLog("warn", (line) => lines.push(line))
    for (const level of ["debug", "info", "warn", "error"] as const) log({ level, event: level })
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as LogEntry).level),
      ["warn", "error"],
    )
  })

  it("tells of an error its code and place, not its message", () => {
    const error = Object.assign(new Error("canary\n    with lines"), { code: "ECONNRESET" })
    const fields = errorFields(error)
    assert.equal(fields.code, "ECONNRESET")
    assert.match(fields.at ?? "", /log\.test\.ts/)
    assert.doesNotMatch(JSON.stringify(fields), /canary/)
    assert.equal(errorFields(new RangeError("canary")).code, "RangeError")
    assert.deepEqual(errorFields("canary"), { code: "string" })
  })
})
