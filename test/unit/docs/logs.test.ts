import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { logFields as gateFields } from "../../../src/gate/process/log.ts"
import { logFields as relayFields } from "../../../src/relay/log.ts"
import { logFields as vaultFields } from "../../../src/vault/process/log.ts"
import { loggedEvents, pageOfLogs } from "../../support/logs-page.ts"
import { sourceFiles } from "../../support/source-imports.ts"

const { events, fields } = pageOfLogs()
const head = ["time", "level", "event"]
const fieldsOf = {
  gate: [...head, ...Object.keys(gateFields)],
  relay: [...head, ...Object.keys(relayFields)],
  vault: [...head, ...Object.keys(vaultFields)],
  serve: [...head, ...Object.keys(vaultFields)],
}

describe("docs/logs.md", () => {
  const logged = loggedEvents(sourceFiles())

  it("has a row for every event that the sources write, and no other", () => {
    for (const { event, file } of logged) {
      const fix = `src/${file} logs "${event}": give it a row in the table of events in docs/logs.md`
      assert.ok(events.has(event), fix)
    }
    for (const event of events.keys()) {
      const isLogged = logged.some((each) => each.event === event)
      assert.ok(isLogged, `docs/logs.md has a row for "${event}", which nothing in src/ logs`)
    }
  })

  it("says from which process and at which level each comes", () => {
    for (const [event, row] of events) {
      const from = logged.filter((each) => each.event === event)
      assert.deepEqual(row.from, [...new Set(from.map((each) => each.from))].sort(), event)
      for (const { level } of from) {
        if (level !== undefined)
          assert.ok(row.levels.includes(level), `"${event}" comes at ${level}`)
      }
    }
  })

  it("gives an event no field that its process couldn't write", () => {
    for (const [event, row] of events) {
      const known = row.from.flatMap((from) => fieldsOf[from])
      for (const field of row.fields) assert.ok(known.includes(field), `${event}: ${field}`)
    }
  })

  it("has a row for every field, with the processes that can write it, and no other", () => {
    const known = new Map(
      [...fieldsOf.vault, ...fieldsOf.gate, ...fieldsOf.relay].map((field) => [
        field,
        (["gate", "relay", "vault"] as const).filter((from) => fieldsOf[from].includes(field)),
      ]),
    )
    assert.deepEqual(new Map([...fields].sort()), new Map([...known].sort()))
  })

  it("has every field but the head's in the row of some event", () => {
    const used = new Set([...events.values()].flatMap((row) => row.fields))
    assert.deepEqual([...head, ...used].sort(), [...fields.keys()].sort())
  })
})

describe("the events in a source", () => {
  const found = (file: string, text: string) =>
    loggedEvents([{ file, text }]).map(({ event, from, level }) => [event, from, level])

  it("are those of entries and failures, with their levels where these are written out", () => {
    const text = `
      log({ level: "info", event: "up" })
      log({ level, event: "down" })
      deps.log({
        level: status < 500 ? "debug" : "warn",
        event: "request",
      })
      logFailure("broken", error)
      const entry: LogEntry = { level: "warn", event: "kept" }`
    assert.deepEqual(found("vault/x.ts", text), [
      ["up", "vault", "info"],
      ["down", "vault", undefined],
      ["request", "vault", undefined],
      ["broken", "vault", "error"],
      ["kept", "vault", "warn"],
    ])
    assert.deepEqual(found("commands/daemon/x.ts", 'logFailure("lost", e)'), [
      ["lost", "serve", "error"],
    ])
  })

  it("have to be written out, or named in the test", () => {
    assert.throws(
      () => found("gate/x.ts", "log({ level: 'info', event: name })"),
      /src\/gate\/x\.ts/,
    )
    assert.throws(() => found("gate/x.ts", "log({ level: 'info', event })"), /src\/gate\/x\.ts/)
    assert.throws(() => found("gate/x.ts", "log({ level, event: `a_${b}` })"), /src\/gate\/x\.ts/)
  })
})
