import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { makePolicySite, type PolicySite } from "../support/policy-site.ts"

/** A file with a case that allows a cancel, some lines of it changed. */
function cases(changes: Readonly<Record<string, string | undefined>> = {}, head = ""): string {
  const lines: Readonly<Record<string, string | undefined>> = {
    name: "a cancel",
    client: "watchdog",
    key: "mm-agent",
    operation: "cancelAll",
    body: "'{}'",
    expect: "allow",
    ...changes,
  }
  const written = Object.entries(lines).filter(([, value]) => value !== undefined)
  return `${head}cases:\n  - ${written.map(([key, value]) => `${key}: ${value}`).join("\n    ")}\n`
}

const quote = `'{"symbol_id": 1, "is_buy": true, "order_type": "limit", "price": "64000", "quantity": "0.1", "flags": ["post_only"]}'`
const asQuote = { client: "mm-bot", operation: "placeOrder", body: quote, expires_in: "10s" }

describe("countersign policy test", () => {
  let site: PolicySite
  before(() => {
    site = makePolicySite()
  })
  after(() => {
    site.remove()
  })

  const run = (text: string, ...more: readonly string[]) => {
    site.write("own.yaml", text)
    return site.test(join(site.dir, "own.yaml"), ...more)
  }

  it("shows each case with what was expected and what came of it", async () => {
    const { code, stdout } = await run(cases())
    assert.equal(code, 0)
    assert.match(stdout, /^CASE +RESULT +EXPECTED +GOT +WHERE$/m)
    assert.match(stdout, /^a cancel +ok +allow +allow \(cancel-only\/cancel\) +\S+own\.yaml:2$/m)
    assert.match(stdout, /^1 of 1 cases are as expected\.$/m)
    assert.match(stdout, /^No case reaches:\n {2}rule +agent-manager\/approve \(/m)
  })

  it("makes no state, and needs none", async () => {
    await run(cases())
    for (const name of ["ledger.db", "admin.secret", "keystore"]) {
      assert.equal(existsSync(join(site.dir, name)), false, name)
    }
  })

  for (const [what, changes, says] of [
    ["another verdict", { expect: "hold" }, /expected hold, got allow \(cancel-only\/cancel\)$/m],
    [
      "another rule",
      { rule: "market-maker/get-out" },
      /expected allow \(market-maker\/get-out\), got/,
    ],
    [
      "another reason",
      {
        ...asQuote,
        body: quote.replace("0.1", "0.6"),
        expect: "deny",
        reason: "symbol_not_allowed",
      },
      /expected deny symbol_not_allowed, got deny quantity_over_max \(market-maker\/quote\): Refused/,
    ],
    [
      "a body with a slip, whatever it expects",
      { ...asQuote, body: quote.replace("is_buy", "is_bye"), expect: "deny" },
      /expected deny, got deny invalid_request: .* No policy refused it/,
    ],
  ] as const) {
    it(`fails a case with ${what}, and says where and why`, async () => {
      const { code, stdout } = await run(cases(changes))
      assert.equal(code, 1, stdout)
      assert.match(stdout, /own\.yaml:2: a cancel: expected /)
      assert.match(stdout, says)
      assert.match(stdout, /^0 of 1 cases are as expected\.$/m)
    })
  }

  it("asks with an idempotency key where the case has one, and reaches require_idempotency without", async () => {
    const own = "policy: strict\nrequire_idempotency: true\n"
    site.write("policies/strict.yaml", own)
    const asked = { expect: "deny", rule: "strict/require_idempotency" }
    const reached = await run(cases({ ...asked, reason: "idempotency_key_required" }))
    assert.equal(reached.code, 0, reached.stdout)
    assert.doesNotMatch(reached.stdout, /key +strict\/require_idempotency/)
    const allowed = await run(cases({ idempotency_key: "k-1" }))
    assert.equal(allowed.code, 0, allowed.stdout)
    assert.match(allowed.stdout, /^ {2}key +strict\/require_idempotency \(/m)
    rmSync(join(site.dir, "policies/strict.yaml"))
  })

  it("knows repeat_within by what a case says is used of it", async () => {
    site.write("policies/once.yaml", "policy: once\nrepeat_within: 5s\n")
    const priced = { ...asQuote, prices: "{BTC-PERP: '64000'}" }
    const used = { ...priced, used: "{once/repeat_within: '1'}", expect: "deny" }
    const again = await run(
      cases({ ...used, rule: "once/repeat_within", reason: "repeated_within" }),
    )
    assert.equal(again.code, 0, again.stdout)
    assert.doesNotMatch(again.stdout, /key +once\/repeat_within/)
    const first = await run(cases(priced))
    assert.equal(first.code, 0, first.stdout)
    assert.match(first.stdout, /^ {2}key +once\/repeat_within \(/m)
    rmSync(join(site.dir, "policies/once.yaml"))
  })

  it("takes a refusal that is no policy's where the case names it", async () => {
    const slip = { ...asQuote, body: quote.replace("is_buy", "is_bye"), expect: "deny" }
    assert.equal((await run(cases({ ...slip, reason: "invalid_request" }))).code, 0)
    const typeB = { operation: "createSub", body: "'{}'", expect: "deny" }
    const notJson = { ...typeB, body: "'{'", reason: "invalid_json" }
    assert.equal((await run(cases(notJson))).code, 0)
  })

  for (const [what, changes, says] of [
    [
      "a key that there isn't",
      { expct: "allow" },
      `8:5: unknown key "expct"; did you mean "expect"?`,
    ],
    [
      "a client",
      { client: "watchdgo" },
      `3:5: unknown client "watchdgo"; did you mean "watchdog"?`,
    ],
    ["a key", { key: "mm-agnet" }, `4:5: unknown key "mm-agnet"; did you mean "mm-agent"?`],
    [
      "an operation",
      { operation: "cancelAl" },
      `5:5: unknown operation "cancelAl"; did you mean "cancelAll"?`,
    ],
    [
      "a rule",
      { rule: "cancel-only/cancle" },
      `8:5: unknown rule "cancel-only/cancle"; did you mean`,
    ],
    [
      "a symbol",
      { prices: "{BTC-PRP: '1'}" },
      `8:14: unknown symbol "BTC-PRP"; did you mean "BTC-PERP"?`,
    ],
    [
      "a limit",
      { used: "{market-maker/horly: '1'}" },
      `8:12: unknown limit "market-maker/horly"; did you mean`,
    ],
    ["an amount", { prices: "{BTC-PERP: '1e3'}" }, `8:14: "1e3" isn't a decimal number above zero`],
    [
      "an amount that is used",
      { used: "{market-maker/hourly: lots}" },
      `8:12: "lots" isn't a decimal number`,
    ],
    ["a time", { at: "noon" }, `8:5: must be a date like 2026-05-28`],
    ["a verdict", { expect: "alow" }, `7:5: must be one of allow, hold, deny`],
    [
      "a body that isn't text",
      { body: "{symbol_id: 1}" },
      `6:5: must be the JSON that the bot would send`,
    ],
    [
      "a reason of what is allowed",
      { reason: "denied_by_rule" },
      `8:5: only expect: deny has a reason`,
    ],
    ["no client", { client: undefined }, `2:5: must be a name`],
  ] as const) {
    it(`tells a mistake with its line: ${what}`, async () => {
      const { code, stdout, stderr } = await run(cases(changes))
      assert.equal(code, 1, stdout)
      assert.ok(stderr.includes(`own.yaml:${says}`), stderr)
    })
  }

  it("knows clients and keys that the file itself names", async () => {
    const stranger = {
      client: "stranger",
      key: "other",
      expect: "deny",
      reason: "no_policy_applies",
    }
    const head = "clients: [stranger]\nkeys: {other: {role: agent}}\n"
    assert.equal((await run(cases(stranger))).code, 1)
    const known = await run(cases(stranger, head))
    assert.equal(known.code, 0, known.stdout + known.stderr)
  })

  it("tells mistakes of all files at once, and of policies first", async () => {
    site.write("one.yaml", cases({ client: "nobody" }))
    const both = await run(cases({ key: "none" }), join(site.dir, "one.yaml"))
    assert.match(both.stderr, /own\.yaml:4:5: .*\n.*one\.yaml:3:5: /)
    site.write("policies/broken.yaml", "policy: broken\nrulez: []\n")
    const { code, stderr } = await site.test()
    rmSync(join(site.dir, "policies/broken.yaml"))
    assert.equal(code, 1)
    assert.match(stderr, /broken\.yaml:2:1: unknown key "rulez"; did you mean "rules"\?/)
  })

  it("fails where there are no cases, or a named file can't be read", async (t) => {
    const bare = makePolicySite()
    t.after(bare.remove)
    rmSync(join(bare.dir, "policies/cases"), { recursive: true })
    const none = await bare.test()
    assert.deepEqual([none.code, none.stdout], [1, ""])
    assert.match(none.stderr, /There are no cases in \S+policies\/cases/)
    const missing = await bare.test("missing.yaml")
    assert.equal(missing.code, 2)
  })

  it("reads no cases that others would read otherwise: bytes that aren't UTF-8, hidden lines", async () => {
    writeFileSync(join(site.dir, "own.yaml"), Buffer.from(`# \xff\n${cases()}`, "latin1"))
    const notText = await site.test(join(site.dir, "own.yaml"))
    assert.deepEqual([notText.code, notText.stdout], [1, ""])
    assert.match(notText.stderr, /own\.yaml isn't UTF-8 text\.$/m)
    const hidden = await run(`# note\r${cases()}`)
    assert.match(hidden.stderr, /own\.yaml:1:7: a carriage return without a line feed/)
  })

  it("counts what was used earlier until its window is over", async () => {
    const used = (text: string) =>
      run(
        cases({
          ...asQuote,
          prices: "{BTC-PERP: '64000'}",
          used: `{market-maker/hourly: ${text}}`,
        }),
      )
    assert.equal((await used("{amount: '7993600', ago: 59m}")).code, 0)
    assert.equal((await used("{amount: '7993600.01', ago: 59m}")).code, 1)
    assert.equal((await used("{amount: '7993600.01', ago: 60m}")).code, 0)
    assert.equal((await used("'7993600.01'")).code, 1)
  })

  it("writes results over earlier ones, and never over a file of anything else", async () => {
    const file = join(site.dir, "results")
    for (const held of ["policy: a\n", '{"crypto":{},"version":3}', " "]) {
      writeFileSync(file, held)
      const refused = await run(cases(), "--junit", file)
      assert.equal(refused.code, 2)
      assert.match(
        refused.stderr,
        /results holds something else than test results; name a new file/,
      )
      assert.equal(readFileSync(file, "utf8"), held)
    }
    writeFileSync(file, `<?xml version="1.0"?>\n<testsuites>\n${" ".repeat(5_000)}</testsuites>\n`)
    assert.equal((await run(cases(), "--junit", file)).code, 0)
    assert.match(readFileSync(file, "utf8"), /^<\?xml[^]*<testcase[^]*<\/testsuites>\n$/)
    assert.equal(readFileSync(file, "utf8").length < 1_000, true)
    const before = readFileSync(file, "utf8")
    assert.equal((await run("cases: [", "--junit", file)).code, 1)
    assert.equal(
      readFileSync(file, "utf8"),
      before,
      "a run that fails before its results empties nothing",
    )
  })

  it("prints JSON, and writes XML that a parser reads", async () => {
    const xml = join(site.dir, "out.xml")
    const name = `"<a> & 'b'"`
    const ended = await run(cases({ name, expect: "deny" }), "--json", "--junit", xml)
    assert.equal(ended.code, 1)
    const {
      passed,
      failed,
      cases: shown,
    } = JSON.parse(ended.stdout) as {
      readonly passed: number
      readonly failed: number
      readonly cases: readonly {
        readonly name: string
        readonly got: { readonly verdict: string }
      }[]
    }
    assert.deepEqual(
      [passed, failed, shown[0]?.name, shown[0]?.got.verdict],
      [0, 1, "<a> & 'b'", "allow"],
    )
    const parse =
      "import sys, xml.etree.ElementTree as t; print([c.get('name') for c in t.parse(sys.argv[1]).iter('testcase')])"
    assert.equal(
      execFileSync("python3", ["-c", parse, xml], { encoding: "utf8" }),
      `["<a> & 'b'"]\n`,
    )
    assert.match(readFileSync(xml, "utf8"), /failures="1"/)
  })
})
