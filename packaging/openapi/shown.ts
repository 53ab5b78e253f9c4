// The examples are those that docs/http-api/ shows: the contract's schemas hold for both.

import assert from "node:assert/strict"

import { fencedBlocks, readPagesOf, sectionOf } from "../../test/support/markdown.ts"

const pages = readPagesOf("docs/http-api")

/** The first answer that is shown under a heading. */
export function shownAnswer(heading: string): unknown {
  const [block] = fencedBlocks(sectionOf(pages, heading), "json")
  assert.ok(block !== undefined, `docs/http-api/ shows an answer under ${heading}`)
  return JSON.parse(block)
}

/** The body of the `index`th call of curl that is shown under a heading. */
export function shownRequest(heading: string, index = 0): unknown {
  const calls = fencedBlocks(sectionOf(pages, heading), "sh")
  const bodies = calls.flatMap((call) => [...call.matchAll(/ -d '([^']*)'/g)])
  const [, body] = bodies[index] ?? []
  assert.ok(body !== undefined, `docs/http-api/ shows a call under ${heading}`)
  return JSON.parse(body)
}
