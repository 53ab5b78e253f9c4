import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { repositoryRoot } from "../support/markdown.ts"
import { makePolicySite, type PolicySite } from "../support/policy-site.ts"

const policies = join(repositoryRoot, "policies")

describe("the shipped policies' cases", () => {
  it("are there for each policy, under its name", () => {
    const named = readdirSync(policies).filter((name) => name.endsWith(".yaml"))
    const cases = readdirSync(join(policies, "cases"))
    assert.deepEqual(cases.sort(), named.filter((name) => name !== "example.yaml").sort())
  })

  it("are all as expected, and leave no entry unreached", async (t) => {
    const site = makePolicySite()
    t.after(site.remove)
    const { code, stdout, stderr } = await site.test("--require-coverage")
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /^(\d+) of \1 cases are as expected\.\nEvery rule, deny, hold, limit and guard/m)
  })
})

const marketMaker = "policies/market-maker.yaml"
const taker = "policies/taker-with-a-daily-cap.yaml"
const treasury = "policies/treasury.yaml"

/** A policy that somebody made wider by hand, and a case that notices. */
const wider: readonly {
  readonly what: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly noticedBy: string
}[] = [
  {
    what: "a larger max_quantity",
    file: marketMaker,
    from: 'max_quantity: { BTC-PERP: "0.5"',
    to: 'max_quantity: { BTC-PERP: "0.51"',
    noticedBy: "a quote that is larger",
  },
  {
    what: "a larger max_notional",
    file: marketMaker,
    from: 'max_notional: "80000"',
    to: 'max_notional: "90000"',
    noticedBy: "a batch that is worth more",
  },
  {
    what: "a list of symbols dropped",
    file: marketMaker,
    from: "    symbols: [BTC-PERP, ETH-PERP]\n    order_types: [limit]\n",
    to: "    order_types: [limit]\n",
    noticedBy: "a symbol that isn't quoted",
  },
  {
    what: "a flag that is no longer required",
    file: marketMaker,
    from: "    require_flags: [post_only]",
    to: "    sides: [buy, sell]",
    noticedBy: "an order that may take liquidity",
  },
  {
    what: "a longer validity",
    file: marketMaker,
    from: "max_expires_in: 10s",
    to: "max_expires_in: 15s",
    noticedBy: "a quote that would be valid for longer than ten seconds",
  },
  {
    what: "a limit's window shortened",
    file: marketMaker,
    from: "window: 1h",
    to: "window: 30m",
    noticedBy: "one quote more within the hour",
  },
  {
    what: "a limit's maximum raised",
    file: marketMaker,
    from: 'max: "40"',
    to: 'max: "41"',
    noticedBy: "the 41st request of a second",
  },
  {
    what: "a limit that only observes",
    file: taker,
    from: 'max: "30"',
    to: 'max: "30"\n    mode: observe',
    noticedBy: "the 31st order of a minute",
  },
  {
    what: "an operation taken out of a deny",
    file: marketMaker,
    from: "      - setLeverage\n",
    to: "",
    noticedBy: "a change of leverage",
  },
  {
    what: "a wider price band",
    file: taker,
    from: "price_band: 1%",
    to: "price_band: 2%",
    noticedBy: "a price beyond the band",
  },
  {
    what: "a hold's threshold raised",
    file: treasury,
    from: 'min: "5000"',
    to: 'min: "5001"',
    noticedBy: "the smallest withdrawal that waits",
  },
  {
    what: "the hours of a hold shortened",
    file: treasury,
    from: 'from: "20:00"',
    to: 'from: "20:01"',
    noticedBy: "the first minute of the night in Berlin",
  },
  {
    what: "a destination that may be any",
    file: treasury,
    from: '      - { pointer: /destination, equals: "0x4444444444444444444444444444444444444444" }',
    to: "      - { pointer: /destination, present: true }",
    noticedBy: "a transfer to a stranger",
  },
  {
    what: "a rule added that allows everything",
    file: marketMaker,
    from: "rules:\n",
    to: "rules:\n  - { name: all, endpoints: [placeOrder, placeBatch, chaseOrder] }\n",
    noticedBy: "a chase, whose price moves by itself",
  },
  {
    what: "a policy that is for another bot too",
    file: marketMaker,
    from: "clients: [mm-bot]",
    to: "clients: [mm-bot, other-bot]",
    noticedBy: "another bot",
  },
]

type TestJson = {
  readonly cases: readonly { readonly name: string; readonly failure: string | null }[]
  readonly unreached: readonly { readonly policy: string; readonly entry: string }[]
}

describe("a policy that was made wider by hand", () => {
  for (const { what, file, from, to, noticedBy } of wider) {
    it(`fails the cases: ${what}`, async (t) => {
      const site = makePolicySite()
      t.after(site.remove)
      site.change(file, from, to)
      const { code, stdout, stderr } = await site.test("--json", join(site.dir, casesOf(file)))
      assert.equal(code, 1, stdout + stderr)
      const { cases } = JSON.parse(stdout) as TestJson
      const failed = cases.filter(({ failure }) => failure !== null).map(({ name }) => name)
      assert.ok(failed.includes(noticedBy), failed.join("; "))
    })
  }
})

/** Where the shipped cases of a policy are. */
function casesOf(file: string): string {
  return file.replace("policies/", "policies/cases/")
}

describe("coverage", () => {
  let site: PolicySite
  before(() => {
    site = makePolicySite()
  })
  after(() => {
    site.remove()
  })

  it("names the rule that no case reaches, and fails where it is required", async () => {
    const more = "rules:\n  - { name: sweep, endpoints: [createSub] }\n"
    site.change("policies/cancel-only.yaml", "rules:\n", more)
    const loose = await site.test()
    assert.equal(loose.code, 0)
    const line = /^ {2}rule +cancel-only\/sweep \(policies\/cancel-only\.yaml:10\)$/m
    assert.match(loose.stdout, line)
    const strict = await site.test("--require-coverage")
    assert.equal(strict.code, 1)
    assert.match(strict.stdout, line)
  })

  for (const [kind, list, entry] of [
    ["deny", "deny", "{ name: unmet, endpoints: [createSub] }"],
    ["hold", "hold", "{ name: unmet, endpoints: [createSub] }"],
    [
      "limit",
      "limits",
      '{ name: unmet, endpoints: [cancelAll], count: requests, window: 1h, max: "9" }',
    ],
  ] as const) {
    it(`names a ${kind} that no case reaches`, async (t) => {
      t.after(() => {
        site.write("policies/more.yaml", "# nothing")
      })
      site.write("policies/more.yaml", `policy: more\n${list}:\n  - ${entry}\n`)
      const { stdout } = await site.test()
      assert.match(
        stdout,
        new RegExp(`^ {2}${kind} +more/unmet \\(policies/more\\.yaml:3\\)$`, "m"),
      )
    })
  }
})
