import assert from "node:assert/strict"
import { before, describe, it } from "node:test"

import { liveChecks, type LiveLine } from "../../src/commands/doctor/finding.ts"
import { goLiveScript, goLiveSteps, plain } from "../support/go-live-script.ts"
import { installPacked } from "../support/packed.ts"
import { needsSystemd, sectionsIn, underSystemd } from "../support/systemd.ts"

const steps = goLiveSteps()
const walked = steps.filter(({ checks }) => checks.length > 0)

describe("docs/go-live.md", { ...needsSystemd(), timeout: 1_200_000 }, () => {
  let said: ReadonlyMap<string, string>
  before(async () => {
    const packed = await installPacked()
    try {
      const { code, stdout, stderr } = await underSystemd(goLiveScript(steps), packed.prefix)
      assert.equal(code, 0, `${stdout}\n${stderr}`)
      said = sectionsIn(stdout)
    } finally {
      await packed.remove()
    }
  })

  /** The lines of one look, and its exit code. */
  function look(when: "before" | "after", title: string) {
    const [answer = "", code = "code 0"] = (said.get(`${when} ${plain(title)}`) ?? "").split("\n")
    const { ok, findings } = JSON.parse(answer) as { ok: boolean; findings: readonly LiveLine[] }
    assert.equal(code, ok ? "code 0" : "code 1")
    return { ok, findings }
  }

  const states = (findings: readonly LiveLine[], check: string) =>
    findings.filter((each) => each.check === check).map(({ state }) => state)

  it("has a step for every line of doctor --live, in the same order", () => {
    assert.deepEqual(
      walked.flatMap(({ checks }) => checks),
      liveChecks,
    )
  })

  for (const { title, checks } of walked) {
    it(`is red before, green after: ${title}`, () => {
      const [before, after] = [look("before", title), look("after", title)]
      assert.equal(before.ok, false)
      for (const check of checks) {
        const red = states(before.findings, check)
        assert.ok(red.length > 0 && !red.includes("ok"), `${check} before`)
        // Once a daemon runs, what is missing is known to be.
        if (title !== walked[0]?.title) assert.ok(!red.includes("unknown"), `${check} before`)
        assert.deepEqual(
          states(after.findings, check),
          [greenOf(check)],
          JSON.stringify(after.findings),
        )
      }
    })
  }

  it("never undoes what an earlier step did", () => {
    const done = walked.map(({ title }) => look("after", title).findings.filter(isOk).length)
    assert.deepEqual(
      done,
      done.toSorted((a, b) => a - b),
    )
  })

  it("ends with all of it green, but that what is signed is for the sandbox", () => {
    const { findings } = look("after", walked.at(-1)?.title ?? "")
    assert.deepEqual(
      findings.filter((line) => !isOk(line)).map(({ check, state }) => [check, state]),
      [["base_url", "missing"]],
    )
  })

  it("signs nothing for a rehearsal: what is recorded as signed is the approval, the order and the drill's cancel", () => {
    const tail = said.get(`step ${plain(steps.at(-1)?.title ?? "")}`) ?? ""
    const signed = [...tail.matchAll(/ request +(\w+) (\w+) with mm/g)].map((each) => each[2])
    assert.deepEqual(signed, ["placeOrder", "cancelAll"])
  })

  it("has alarms come to the webhook, of the command and of the gate", () => {
    assert.match(said.get("heard") ?? "", /"alarm":"test"/)
    assert.match(said.get("heard") ?? "", /"alarm":"frozen"/)
  })
})

/** The sandbox plays the venue, and is taken for none. */
function greenOf(check: LiveLine["check"]): LiveLine["state"] {
  return check === "base_url" ? "missing" : "ok"
}

function isOk({ state }: LiveLine): boolean {
  return state === "ok"
}
