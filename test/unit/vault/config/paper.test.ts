import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { configText } from "../../../../src/commands/init/init-texts.ts"
import { parseFileSet } from "../../../../src/vault/config/load-files.ts"
import { paperProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { liveVenue } from "../../../support/paper-site.ts"

const policy = `policy: mm
applies_to: {keys: [mm, mm2]}
rules:
  - {name: quote, endpoints: [placeOrder], symbols: [BTC-PERP]}
limits:
  - {name: day, sum: submitted_notional, window: 24h, max: "1000", per: key}
guards:
  - {name: most, max_position: {BTC-PERP: {net: 1}}}
`

const usual = paperProfile(sandboxUrl)

function filesWith(paper: string | undefined) {
  return parseFileSet([
    { name: "countersign.yaml", text: configText({ backend: "memory" }) },
    { name: "venue.yaml", text: liveVenue() },
    ...(paper === undefined ? [] : [{ name: "venue-paper.yaml", text: paper }]),
    { name: "policies/mm.yaml", text: policy },
  ])
}

function read(paper: string | undefined) {
  const files = filesWith(paper)
  assert.ok(files.ok, files.ok ? "" : JSON.stringify(files.error))
  return files.value
}

function problemsOf(paper: string): string {
  const files = filesWith(paper)
  assert.ok(!files.ok)
  return files.error.map(({ file, message }) => `${file}: ${message}`).join("\n")
}

describe("venue-paper.yaml", () => {
  it("gives the same files a second view, and the set another hash", () => {
    const [without, { paper, ...set }] = [read(undefined), read(usual)]
    assert.equal(without.paper, undefined)
    assert.notEqual(set.policyHash, without.policyHash)
    assert.ok(paper)
    assert.notEqual(paper.profile.network, set.profile.network)
    assert.equal(paper.profile.baseUrl, sandboxUrl)
    assert.equal(paper.profile.symbols, set.profile.symbols)
    assert.deepEqual(paper.policies[0]?.rules, set.policies[0]?.rules)
  })

  it("says of a paper key what the policies say of the key that it stands for", () => {
    const { paper } = read(usual)
    assert.deepEqual(paper?.policies[0]?.appliesTo.keys, ["mm.paper", "mm2.paper"])
  })

  it("gives limits other meters, takes nothing of the venue's budgets, and has no guards", () => {
    const { paper, policies, config } = read(usual)
    assert.ok(paper)
    const namesOf = (all: typeof policies) =>
      all.flatMap(({ limits }) => limits.map(({ definition }) => definition))
    assert.deepEqual(
      namesOf(paper.policies),
      namesOf(policies).map((name) => `paper ${name}`),
    )
    assert.deepEqual(config.budgets.isOn, { address: true, ip: true })
    assert.deepEqual(paper.config.budgets.isOn, { address: false, ip: false })
    const guards = (all: typeof policies) => all.flatMap((policy) => policy.guards).length
    assert.deepEqual([guards(policies), guards(paper.policies)], [1, 0])
  })

  it("is refused for the main network and for venue.yaml's own", () => {
    const wrong = usual.replace("chain_id: 842569901", "chain_id: 84256")
    const serviceable = wrong.replace("Sandbox", "Mainnet")
    assert.match(problemsOf(serviceable), /venue-paper.yaml: domain.chain_id is 84256/)
    assert.equal(read(usual.replaceAll("842569901", "842569902")).paper?.profile.isPaper, true)
  })

  it("is refused without a base_url", () => {
    assert.match(problemsOf(usual.replace(/base_url.*\n/, "")), /base_url is missing/)
  })

  const own = (text: string): string => `${usual}symbols:\n${text}`
  const all = `  - {id: 1, name: BTC-PERP, market: perp, quote: USD}
  - {id: 2, name: ETH-PERP, market: perp, quote: USD}
  - {id: 3, name: BTC-USD, market: spot, quote: USD}
`

  it("may repeat venue.yaml's symbols", () => {
    assert.ok(filesWith(own(all)).ok)
  })

  for (const [what, text] of [
    ["an id", all.replace("id: 2", "id: 4")],
    ["a name", all.replace("ETH-PERP", "SOL-PERP")],
    ["a market", all.replace("market: spot", "market: perp")],
    ["a quote", all.replace("quote: USD}", "quote: USDC}")],
    ["a symbol more", `${all}  - {id: 4, name: SOL-PERP, market: perp, quote: USD}\n`],
    ["a symbol less", all.split("\n").slice(0, 2).join("\n")],
  ] as const) {
    it(`is refused for ${what} that venue.yaml's symbols don't have`, () => {
      assert.match(problemsOf(own(text)), /symbols must be those of venue.yaml.* in one file alone/)
    })
  }

  it("is refused whole where it can't be read", () => {
    assert.match(problemsOf(`${usual}networks: 3\n`), /venue-paper.yaml/)
  })
})
