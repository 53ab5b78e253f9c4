import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { createLog, logLevels, type LogHead, type LogLevel } from "../../../src/std/log.ts"

type Entry = LogHead & { readonly status?: number; readonly code?: string | undefined }

/** A log that keeps its lines, each with the level that it was written for. */
function openLog() {
  const lines: [string, LogLevel][] = []
  const opened = createLog<Entry>({ code: true, status: true }, () => ({
    form: "json",
    write: (line, level) => lines.push([line, level]),
  }))
  return { ...opened, lines }
}

describe("a log", () => {
  it("writes the fields that it knows, in its own order, and no other", () => {
    const { log, lines } = openLog()
    const entry = { level: "info", event: "request", status: 200, token: "canary", code: "x" }
    log(entry as Entry)
    log({ level: "error", event: "failed", code: undefined })
    assert.deepEqual(
      lines.map(([line, level]) => [line.replace(/"time":"[^"]+"/, ""), level]),
      [
        ['{,"level":"info","event":"request","code":"x","status":200}', "info"],
        ['{,"level":"error","event":"failed"}', "error"],
      ],
    )
  })

  it("begins at info, and leaves out what is below the level that it is told", () => {
    const { log, logFrom, lines } = openLog()
    const written = () => {
      for (const level of logLevels) log({ level, event: level })
      return lines.splice(0).map(([, level]) => level)
    }
    assert.deepEqual(written(), ["info", "warn", "error"])
    for (const [index, level] of logLevels.entries()) {
      logFrom(level)
      assert.deepEqual(written(), logLevels.slice(index))
    }
  })

  it("asks for what it writes to once, and not before there is a line", () => {
    let asked = 0
    const { log } = createLog<Entry>({ code: true, status: true }, () => {
      asked += 1
      return { form: "words", write: () => undefined }
    })
    log({ level: "debug", event: "left_out" })
    assert.equal(asked, 0)
    for (const event of ["one", "two"]) log({ level: "info", event })
    assert.equal(asked, 1)
  })
})
