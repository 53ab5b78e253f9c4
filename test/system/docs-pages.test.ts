import assert from "node:assert/strict"
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { TypedOperation } from "../../src/contract/views.ts"
import { elsewhere, signTyped } from "../support/agent-keys.ts"
import {
  countersign,
  makeInstallation,
  sandbox,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { readRepositoryFile } from "../support/markdown.ts"
import { needs } from "../support/needs.ts"
import { openPage, type PlayedPage, type Stage } from "../support/play-page.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

/** Played by tests that boot a systemd; test/unit/docs/job-pages.test.ts says which. */
const playedElsewhere = ["From npm", "From Debian"]

/** One daemon for all pages, in the order in which their keys and settings go together. */
describe("the pages by job", { timeout: 240_000, ...needs("curl", "apt-get install curl") }, () => {
  let venue: Served
  let installation: TemporaryInstallation
  let daemon: Served
  let stage: Stage
  const pages = {
    agents: open("docs/agents.md", { "0xYourWallet": elsewhere.address }),
    reads: open("docs/reads-and-budgets.md"),
    severalBots: open("docs/operations/several-bots.md"),
    upgrade: open("docs/upgrade.md"),
    incident: open("docs/incident.md", { mm: "trader" }),
    stopping: open("docs/operations/stopping.md"),
    policies: open("docs/policies.md", { mm: "trader-2" }),
  }
  before(async () => {
    venue = await sandbox()
    installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
    const { dir, home } = installation
    await writePolicy(dir, tradingPolicy)
    daemon = await serve(dir)
    await run("keys", "generate", "--name", "main", "--role", "wallet")
    stage = { home, dir, url: daemon.url, token: "" }
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.dir)
    await installation.remove()
    await venue.stop()
  })

  async function run(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await countersign([...args, "--dir", installation.dir])
    assert.equal(code, 0, stderr)
  }

  describe("docs/agents.md", () => {
    it("approves keys of wallets that are here", () => plays(pages.agents, "Approve"))

    it("approves one of a wallet elsewhere, once that has signed", async () => {
      const sign = (): void => {
        const request = readFileSync(join(stage.home, "request.json"), "utf8")
        const signature = signTyped(JSON.parse(request) as TypedOperation)
        writeFileSync(join(stage.home, "signature.txt"), signature)
      }
      await pages.agents.play("With a wallet that never comes here", stage, sign)
    })

    it("rotates", () => plays(pages.agents, "Rotate", /^mm-2 signs in place of mm\.$/m))

    it("renews and revokes", () =>
      plays(pages.agents, "Revoke and renew", /^mm-2 is approved until .*\nmm-2 is revoked/m))
  })

  describe("docs/reads-and-budgets.md", () => {
    before(async () => {
      await run("agent", "approve", "trader", "--generate", "--wallet", "main", "--valid-days", "9")
      await run("policy", "reload")
      stage = { ...stage, token: await addClient(stage.dir, "bot", ["--keys", "trader"]) }
    })

    it("lets a bot read", () => plays(pages.reads, "Let a bot read"))
    it("reads a whole list", () => plays(pages.reads, "Read a whole list"))
    it("shares budgets", () => plays(pages.reads, "What there is to share", /"budgets":\[\{/))
    it("shows how they stand", () =>
      plays(pages.reads, "What a bot sees of it", /^RateLimit: "address";r=/m))
  })

  describe("docs/operations/several-bots.md", () => {
    it("gives each bot a key and a token", () =>
      plays(pages.severalBots, "A key each, or one for both", /^hedge-bot\b/m))
    it("spends what is each bot's, and what is for both", () =>
      plays(
        pages.severalBots,
        "Limits: each its own, and all together",
        /"signature".*\n.*"limit":"each".*\n.*"signature".*\n.*"limit":"together".*\n.*"reduce_only".*"signature"/,
      ))
    it("takes the same key from two bots for two orders", async () => {
      const said = await pages.severalBots.play("The same request again", stage)
      const records = [...said.matchAll(/^countersign-record: (\S+)/gim)].map(([, id]) => id)
      assert.equal(records.length, 3)
      assert.equal(records[0], records[1])
      assert.notEqual(records[1], records[2])
      assert.equal(said.match(/^countersign-repeat: 1/gim)?.length, 1)
    })
    it("shares a budget", () =>
      plays(pages.severalBots, "The budget that they share", /"scope":"ip"/))
    it("stops one of them", () =>
      plays(
        pages.severalBots,
        "Freeze one of them",
        /"code":"frozen".*hedges the wrong way.*\n\{"code":"0".*"order_id".*\n\{"code":"0"/,
      ))
  })

  describe("docs/upgrade.md", () => {
    it("looks before", () =>
      plays(pages.upgrade, "Before", /^(?:0 failed, \d+ to look at|All is well)\.$/m))
    it("looks after", () => plays(pages.upgrade, "After", /"would_sign":true/))
  })

  describe("docs/incident.md", () => {
    it("prepares", () => plays(pages.incident, "Before you need it"))
    it("panics before it locks, as docs/operations/stopping.md says", () =>
      plays(
        pages.stopping,
        "In which order",
        /is locked[^]*Nothing was cancelled\.[^]*cancelAll by trader accepted/,
      ))
    it("stops all", () => plays(pages.incident, "Stop it", /"by":"guard"/))
    it("cancels", () => plays(pages.incident, "Cancel what is open"))

    it("cuts off what has leaked", async () => {
      const said = await pages.incident.play("Cut off what has leaked", stage)
      const [token] = /cs_[\w-]{43}/.exec(said) ?? []
      assert.match(said, /^guard is revoked/m)
      stage = { ...stage, token: token ?? "" }
    })

    it("shows what was signed", () => plays(pages.incident, "See what was signed"))
    it("proves it", () => plays(pages.incident, "Prove it"))

    it("goes on with a restored ledger once that is accepted", async () => {
      await daemon.stop()
      rmSync(join(stage.dir, "ledger.db-wal"), { force: true })
      copyFileSync(join(stage.home, "ledger.db"), join(stage.dir, "ledger.db"))
      daemon = await serve(stage.dir)
      stage = { ...stage, url: daemon.url }
      await plays(pages.incident, "After a restore", /goes on above nonce/)
    })

    it("thaws", () => plays(pages.incident, "Go on", /^signing +signs what policies allow/m))
  })

  describe("docs/policies.md", () => {
    before(() => {
      for (const name of ["trading", "reader", "desk"])
        rmSync(join(stage.dir, `policies/${name}.yaml`))
    })

    it("writes one", () => plays(pages.policies, "Write"))
    it("puts it in force", () => plays(pages.policies, "Put it in force"))
    it("asks what a request would meet", () =>
      plays(pages.policies, "Ask what a request would meet", /"policy_denied".*"signature":/))
    it("keeps cases beside it", () => plays(pages.policies, "Keep cases beside it"))
    it("tries a change on the past, and takes it back", () =>
      plays(pages.policies, "Change it: try the change on the past"))
    it("watches a limit", () => plays(pages.policies, "Limits: watch first, then enforce"))
    it("signs nothing twice by mistake", () =>
      plays(
        pages.policies,
        "Nothing twice by mistake",
        /"signature".*\n.*"reason":"repeated_within"/,
      ))
    it("has a person decide", () =>
      plays(pages.policies, "Let a person decide", /"approval_required"[^]*"signature":/))
    it("has changes accepted", () =>
      plays(pages.policies, "Have every change accepted", /^Accepted, and in force: /m))
  })

  it("have no block that wasn't played", () => {
    const left = Object.values(pages).flatMap((page) => page.unplayed())
    assert.deepEqual(left, playedElsewhere)
  })

  async function plays(page: PlayedPage, title: string, says = /./): Promise<void> {
    assert.match(await page.play(title, stage), says)
  }
})

function open(path: string, names: Readonly<Record<string, string>> = {}): PlayedPage {
  return openPage(readRepositoryFile(path), names)
}
