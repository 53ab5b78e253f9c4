import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { stripVTControlCharacters } from "node:util"

import fc from "fast-check"

import { logLevels, logLine, type LogFields, type LogForm } from "../../../src/std/log.ts"
import { anyCharacter } from "../../support/any-character.ts"

const frozen = { level: "error", event: "key_frozen" } as const
const time = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} /

/** A line in words without its time. */
function words(fields: LogFields, form: LogForm = "words"): string {
  const line = logLine(frozen, fields, form)
  assert.match(line, time)
  return line.replace(time, "")
}

/** Fields of which some words are made of what hurts. */
const hostile = fc.array(
  fc.tuple(
    fc.constantFrom("client", "rule", "message"),
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("\u001b[2J", "\r\nfake", "\u009b1m", "\u202e", "a=b", '"'),
    ),
  ),
)

describe("a line of log", () => {
  it("is a JSON object with its time in UTC, its level, its event, and its fields in order", () => {
    const line = logLine(frozen, [["status", 200] as const, ["code", "x"] as const], "json")
    assert.match(
      line,
      /^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"error","event":"key_frozen","status":200,"code":"x"\}$/,
    )
  })

  it("has in words the machine's own time", () => {
    const local = () => new Date().toLocaleString("sv-SE") // 2026-03-04 14:03:07
    const before = local()
    const said = logLine(frozen, [], "words").slice(0, before.length)
    assert.ok(before <= said && said <= local(), said)
  })

  it("has in words its event, its fields, and its message last", () => {
    assert.equal(words([]), "error  key frozen")
    const fields: LogFields = [
      ["message", "A drill."],
      ["ms", 7],
      ["rule", "trading/quote"],
    ]
    assert.equal(words(fields), "error  key frozen  ms=7 rule=trading/quote  A drill.")
  })

  for (const [value, shown] of [
    ["plain", "plain"],
    ["", '""'],
    ["two words", '"two words"'],
    ["a=b", '"a=b"'],
    ['"', '"\\""'],
    ["\u001b[31m", "\\u001b[31m"],
    ["a\nb", '"a\\nb"'],
  ] as const) {
    it(`shows a field's value as ${shown}`, () => {
      assert.equal(words([["code", value]]), `error  key frozen  code=${shown}`)
    })
  }

  it("has the same width of level for each, in colour where that is wanted", () => {
    const level = (form: LogForm) =>
      logLevels.map((each) => logLine({ level: each, event: "e" }, [], form).replace(time, ""))
    assert.deepEqual(level("words"), ["debug  e", "info   e", "warn   e", "error  e"])
    const coloured = level("coloured")
    assert.deepEqual(coloured.map(stripVTControlCharacters), level("words"))
    const [debug, info, warn, error] = coloured
    assert.deepEqual(
      [debug, info, warn, error],
      [
        "\u001b[90mdebug\u001b[39m  e",
        "info   e",
        "\u001b[33mwarn\u001b[39m   e",
        "\u001b[31merror\u001b[39m  e",
      ],
    )
  })

  it("is one line that moves no cursor, whatever its values are", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom("json", "words" as const), (fields, form) => {
        assert.doesNotMatch(logLine(frozen, fields, form), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })

  it("reads back from JSON as it was", () => {
    fc.assert(
      fc.property(hostile, (fields) => {
        const read = JSON.parse(logLine(frozen, fields, "json")) as Record<string, unknown>
        assert.deepEqual(
          { ...read, time: "" },
          { time: "", ...frozen, ...Object.fromEntries(fields) },
        )
      }),
    )
  })
})
