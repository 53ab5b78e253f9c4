import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { junitText } from "../../../../../src/commands/policy/test/report.ts"
import type { CaseResult } from "../../../../../src/commands/policy/test/run-case.ts"

function result(name: string, failure: string | null, file = "a.yaml"): CaseResult {
  // The XML has nothing else of a result.
  return { case: { name, file }, failure } as CaseResult
}

describe("JUnit's XML", () => {
  it("has a suite for each file, with its tests and failures counted", () => {
    const text = junitText(
      [result("one", null), result("two", "no"), result("three", null, "b.yaml")],
      undefined,
    )
    assert.equal(
      text,
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="a.yaml" tests="2" failures="1">
    <testcase classname="a.yaml" name="one"/>
    <testcase classname="a.yaml" name="two">
      <failure message="no"/>
    </testcase>
  </testsuite>
  <testsuite name="b.yaml" tests="1" failures="0">
    <testcase classname="b.yaml" name="three"/>
  </testsuite>
</testsuites>
`,
    )
  })

  it("has the entries that no case reaches as failures, where they are required", () => {
    const entry = {
      kind: "rule",
      policy: "p",
      entry: "r",
      file: "policies/p.yaml",
      line: 3,
    } as const
    const text = junitText([result("one", null)], [entry])
    assert.match(text, /<testsuite name="coverage" tests="1" failures="1">/)
    assert.match(text, /name="rule p\/r \(policies\/p\.yaml:3\)">\n.*no case reaches it/)
  })

  it("escapes what XML reads as its own, and has no place for control characters", () => {
    const text = junitText([result(`<a href="x">&\u0000\ud800\u001b[2J`, "\u0007")], undefined)
    assert.match(text, /name="&lt;a href=&quot;x&quot;&gt;&amp;\uFFFD\uFFFD\uFFFD\[2J"/)
    assert.match(text, /message="\uFFFD"/)
  })
})
