import assert from "node:assert/strict"
import { it } from "node:test"

import { refused, told } from "../../../../src/console/serve/calls.ts"

it("answers the page in JSON whose texts move no cursor, with the values as they are", () => {
  const moving = { label: "a\u009b2J\u202eb", names: ["\u2066"] }
  for (const [reply, value] of [
    [told(moving), moving],
    [refused(400, moving.label), { why: moving.label }],
  ] as const) {
    assert.match(reply.text, /^[\x20-\x7e]+$/)
    assert.deepEqual(JSON.parse(reply.text), value)
  }
})
