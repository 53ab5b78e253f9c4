import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  countersignProcess,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
  statusJson,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

type Status = Readonly<Record<string, unknown>> & {
  readonly records: number
  readonly last_refusals: readonly Readonly<Record<string, unknown>>[]
}

describe("the command line", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served | undefined
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
  })
  after(async () => {
    await daemon?.stop("SIGKILL")
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const status = () => statusJson<Status>(at())

  async function failureOf(args: readonly string[]): Promise<readonly [string, number | null]> {
    const ended = await countersign([...args, "--json"])
    const { error, ...others } = JSON.parse(ended.stdout) as {
      error: { code: string; message: string }
    }
    assert.deepEqual([Object.keys(error), others], [["code", "message"], {}])
    assert.match(error.message, /^\S.*\S$/)
    return [error.code, ended.code]
  }

  for (const state of ["stopped", "running"] as const) {
    const name = (word: string) => `${word}-${state}`

    it(`says that the daemon is ${state}`, async () => {
      if (state === "running") daemon = await serve(installation.dir)
      const answer = await status()
      const { keys, clients, network, policy_hash: policyHash, pid } = answer
      assert.partialDeepStrictEqual(answer, {
        daemon: state,
        state: { signs: state === "running" ? "all" : "nothing" },
        limits: [],
        warnings: [
          {
            message:
              "No approval of the agent key mm went through this daemon; it signs, and the venue decides.",
            fix: `countersign agent approve mm --dir ${installation.dir}`,
          },
        ],
      })
      assert.match(String(policyHash), /^[0-9a-f]{64}$/)
      assert.match(String(network), /^0x[0-9a-f]{64}$/)
      assert.deepEqual(keys, await countersignJson(at("keys", "list")))
      assert.deepEqual(clients, await countersignJson(at("clients", "list")))
      const { stdout, code } = await countersign(at("status"))
      const says = state === "running" ? `running; the vault's pid is ${String(pid)}` : state
      assert.match(stdout, new RegExp(`^daemon +${says}`, "m"))
      assert.match(stdout, /^main +wallet +0x\w{40} +- +- +never$/m)
      assert.equal(code, state === "running" ? 0 : 1)
    })

    it(`adds a client with the daemon ${state}, and tells its token once`, async () => {
      const rights = ["--right", "metrics", "--right", "prices", "--right", "metrics"]
      const options = ["--keys", "mm,main", ...rights, "--allow-type-b"]
      const made = await countersignJson<{ token: string }>(
        at("clients", "add", name("bot"), ...options),
      )
      assert.deepEqual(Object.keys(made), ["name", "token", "expires_at"])
      assert.match(made.token, /^cs_[A-Za-z0-9_-]{43}$/)
      const clients = await countersignJson<readonly unknown[]>(at("clients", "list"))
      assert.partialDeepStrictEqual(clients.at(-1), {
        name: name("bot"),
        keys: ["mm", "main"],
        rights: ["metrics", "prices"],
        allow_type_b: true,
        idempotency_by: "header",
        revoked: false,
      })
      for (const file of ["ledger.db", "countersign.yaml"]) {
        assert.equal(readFileSync(join(installation.dir, file)).includes(made.token), false)
      }
      if (daemon === undefined) return
      const answer = await bot(daemon.url, made.token).post("/sign/v1/trade/orders", limitOrder())
      assert.equal(answer.status, 200, answer.text)
    })

    it(`shows the last refusals, with the daemon ${state}`, async () => {
      if (daemon !== undefined) {
        const { token } = await countersignJson<{ token: string }>(
          at("clients", "add", "refused", "--keys", "mm"),
        )
        const path = "/sign/v1/nowhere"
        const answer = await bot(daemon.url, token).post(path, limitOrder())
        assert.equal(answer.status, 404, answer.text)
      }
      const expected = daemon === undefined ? [] : [["refused", "unknown_endpoint", 1]]
      const { last_refusals: refusals } = await status()
      assert.deepEqual(
        refusals.map(({ client, code, times }) => [client, code, times]),
        expected,
      )
      const { stdout } = await countersign(at("status"))
      assert.equal(
        /(?:^now|ago) +refused +unknown_endpoint +\S/m.test(stdout),
        daemon !== undefined,
      )
    })

    it(`refuses a client that can't be, with the daemon ${state}`, async () => {
      const add = (client: string, ...options: readonly string[]) =>
        failureOf(at("clients", "add", client, ...options))
      assert.deepEqual(await add(name("bot"), "--keys", "mm"), ["name_taken", 1])
      assert.deepEqual(await add("other", "--keys", "mm,none"), ["name_unknown", 1])
      assert.deepEqual(await add("other", "--keys", ""), ["usage", 2])
      assert.deepEqual(await add("Other", "--keys", "mm"), ["usage", 2])
      assert.deepEqual(await add("other"), ["usage", 2])
      assert.deepEqual(await add("other", "--keys", "mm", "--right", "trade"), ["usage", 2])
    })
  }

  it("refuses a daemon that doesn't know the secret in admin.secret with 3", async () => {
    const file = join(installation.dir, "admin.secret")
    const secret = readFileSync(file, "utf8")
    writeFileSync(file, "another daemon's")
    assert.deepEqual(await failureOf(at("status")), ["admin_refused", 3])
    writeFileSync(file, secret)
    assert.equal((await status())["daemon"], "running")
  })

  it("ends with 4 when the ledger can't be opened, and with 1 when there is none", async () => {
    await daemon?.stop()
    daemon = undefined
    writeFileSync(join(installation.dir, "ledger.db"), "something else")
    assert.deepEqual(await failureOf(at("keys", "list")), ["ledger_unusable", 4])
    const nowhere = ["keys", "list", "--dir", join(installation.home, "none")]
    assert.deepEqual(await failureOf(nowhere), ["not_initialised", 1])
  })

  const mistyped: readonly (readonly [readonly string[], RegExp])[] = [
    [["srve"], /unknown command 'srve'.*\(Did you mean serve\?\)/s],
    [["keys", "lst"], /unknown command 'lst'.*\(Did you mean list\?\)/s],
    [["status", "--jsn"], /unknown option '--jsn'.*\(Did you mean --json\?\)/s],
    [["serve", "--prt", "1"], /unknown option '--prt'.*\(Did you mean --port\?\)/s],
    [["serve", "--port", "65536"], /--port takes a number from 0 to 65535/],
    [["keys"], /Usage: countersign keys/],
    [[], /Usage: countersign/],
  ]
  for (const [args, says] of mistyped) {
    it(`ends with 2 and a suggestion for: countersign ${args.join(" ")}`, async () => {
      const ended = await countersign(args)
      assert.equal(ended.code, 2)
      assert.match(ended.stderr, says)
      assert.equal(ended.stdout, "")
      if (args.length > 0 && !args.includes("serve")) {
        assert.deepEqual(await failureOf(args), ["usage", 2])
      }
    })
  }

  it("hides in its complaint what was typed where it may be a secret", async () => {
    const secret = "4c0883a69102937d6231471b5dbb6204"
    for (const args of [
      ["keys", "import", secret],
      ["keys", secret],
      ["keys", "import", `--secret=${secret}`],
      ["init", "--backend", secret],
    ]) {
      for (const ended of [await countersign(args), await countersign([...args, "--json"])]) {
        assert.equal(ended.code, 2)
        assert.equal(`${ended.stdout}${ended.stderr}`.includes(secret), false)
      }
    }
  })

  it("has no colour in a pipe, even where FORCE_COLOR asks for it", async () => {
    const ended = await countersignProcess(at("status"), "", { environment: { FORCE_COLOR: "1" } })
    assert.equal(ended.code, 4) // the ledger was spoilt above
    const doctored = await countersignProcess(at("doctor"), "", {
      environment: { FORCE_COLOR: "1" },
    })
    assert.match(doctored.stdout, /^fail +ledger/m)
    assert.equal(doctored.stdout.includes("\u001b"), false)
  })

  for (const args of [
    ["--version"],
    ["--help"],
    ["help"],
    ["keys", "import", "--help"],
    ["completion", "zsh"],
  ]) {
    it(`ends with 0 for: countersign ${args.join(" ")}`, async () => {
      const ended = await countersign(args)
      assert.equal(ended.code, 0)
      assert.notEqual(ended.stdout, "")
      assert.equal(ended.stderr, "")
    })
  }
})
