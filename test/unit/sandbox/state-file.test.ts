import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { appendFile, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"

import type { Envelope } from "../../../src/sandbox/answer-request.ts"
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts"
import { errorCodes } from "../../../src/sandbox/state/error-codes.ts"
import { agent, approval, nowMs, operation, typeA, wallet, type Fields } from "./signed-bodies.ts"

const order = { symbol_id: 1, is_buy: true, order_type: "limit", quantity: "1", price: "60000" }
const orders = "/v1/trade/orders"

describe("a sandbox with a state file", () => {
  it("goes on where it ended: orders, agents, balances and used nonces", () =>
    withFile(async (file) => {
      const used = typeA(order)
      const transaction = "/v1/explorer/transactions"
      const before = await running(file, async (call) => {
        await call("/v1/account/approve-agent", approval())
        await call(orders, used)
        await call("/v1/account/create-sub", operation("CreateSub", { label: "desk" }))
        await call("/v1/account/withdraw", withdrawal)
        return (await call(transaction)).data
      })
      await running(file, async (call) => {
        assert.deepEqual((await call(transaction)).data, before)
        assert.equal((await call(orders, used)).code, errorCodes.nonce_repeated)
        const next = await call(orders, typeA(order, { signer: agent }))
        assert.equal(next.data["order_id"], "1000002")
        const balances = await call(`/v1/account/balances?account_address=${wallet.address}`)
        assert.deepEqual((balances.data["list"] as readonly Fields[])[0], {
          asset: "BTC",
          available: "9",
        })
      })
    }))

  it("has a line for each accepted write, and none for what was refused", () =>
    withFile(async (file) => {
      await running(file, async (call) => {
        await call(orders, typeA(order))
        await call(orders, typeA({ ...order, price_match: "queue_1" }))
      })
      const lines = (await readFile(file, "utf8")).trimEnd().split("\n")
      const [accounts, write] = lines.map((line) => JSON.parse(line) as Fields)
      assert.equal(lines.length, 2)
      assert.deepEqual(accounts, { accounts: [wallet.address.toLowerCase()] })
      assert.deepEqual([write?.["at_ms"], write?.["path"]], [nowMs, orders])
      assert.equal((await stat(file)).mode & 0o777, 0o600)
    }))

  it("drops a last line that was cut off, which was never answered", () =>
    withFile(async (file) => {
      await running(file, (call) => call(orders, typeA(order)))
      await appendFile(file, '{"at_ms":17')
      await running(file, (call) => call(orders, typeA(order)))
      await running(file, async (call) => {
        const { list } = (await call("/v1/trade/open-orders")).data
        assert.equal((list as readonly unknown[]).length, 2)
      })
    }))

  it("cuts a first line off that was never whole, at any place", () =>
    withFile(async (file) => {
      await running(file, (call) => call(orders, typeA(order)))
      const [accounts = "", write = ""] = (await readFile(file, "utf8")).split("\n")
      for (let length = 1; length < accounts.length; length += 7) {
        await writeFile(file, accounts.slice(0, length))
        await running(file, () => Promise.resolve())
        assert.equal(await readFile(file, "utf8"), `${accounts}\n`)
      }
      for (let length = 1; length < write.length; length += 50) {
        await writeFile(file, `${accounts}\n${write.slice(0, length)}`)
        await running(file, () => Promise.resolve())
        assert.equal(await readFile(file, "utf8"), `${accounts}\n`)
      }
    }))

  const notSandboxes: readonly (readonly [string, string])[] = [
    ["a key file", '{"address":"00","crypto":{},"version":3}'],
    ["a key file with its line's end", '{"address":"00","crypto":{},"version":3}\n'],
    ["words without an end of line", "a passphrase"],
    ["an empty line", "\n"],
    ["JSON with accounts of its own", '{"accounts":["a","b"]}\n'],
    ["JSON with accounts and more", '{"accounts":[],"key":"a"}\n'],
    ["JSON with accounts and more, without an end", '{"accounts":["0xab"],"key":"a"}'],
    ["a sandbox's line and then something else", '{"accounts":[]}\n{"address":"00"}'],
  ]
  for (const [what, text] of notSandboxes) {
    it(`leaves ${what} as it is, and says that it isn't its own`, () =>
      withFile(async (file) => {
        await writeFile(file, text)
        await assert.rejects(
          running(file, () => Promise.resolve()),
          { code: "config_invalid", message: /, line \d: .*; start with another file\.$/ },
        )
        assert.equal(await readFile(file, "utf8"), text)
      }))
  }

  it("follows no symlink, and writes to nothing that isn't a file", () =>
    withFile(async (file) => {
      await symlink(join(file, "..", "elsewhere"), file)
      await assert.rejects(
        running(file, () => Promise.resolve()),
        { code: "config_invalid", message: `${file} is a symlink; give --state the file itself.` },
      )
      execFileSync("mkfifo", [`${file}.fifo`])
      await assert.rejects(
        running(`${file}.fifo`, () => Promise.resolve()),
        { code: "config_invalid", message: /isn't a regular file/ },
      )
    }))

  for (const line of ["no JSON", "{}", `{"at_ms":1,"path":"/v1/trade/orders","body":{}}`]) {
    it(`refuses a file with the line ${line}, and names the line`, () =>
      withFile(async (file) => {
        await appendFile(file, `{"accounts":[]}\n${line}\n`)
        await assert.rejects(
          running(file, () => Promise.resolve()),
          {
            code: "config_invalid",
            message: `${file}, line 2: the sandbox doesn't accept it; start with another file.`,
          },
        )
      }))
  }

  it("says when the file can't be opened", () =>
    withFile(async (file) => {
      const inside = join(file, "nowhere")
      await assert.rejects(
        running(inside, () => Promise.resolve()),
        { code: "config_invalid" },
      )
    }))
})

const withdrawal = operation("Withdraw", {
  asset: "BTC",
  amount: "1",
  destination: agent.address,
})

type Call = (path: string, body?: Fields) => Promise<Envelope>

async function running<Answer>(
  stateFile: string,
  use: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const settings = { port: 0, accounts: [wallet.address], clock: () => nowMs, stateFile }
  const sandbox = await startSandbox(settings)
  try {
    return await use(async (path, body) => {
      const post = { method: "POST", headers: { "content-type": "application/json" } }
      const init = body === undefined ? {} : { ...post, body: JSON.stringify(body) }
      return (await (await fetch(sandbox.url + path, init)).json()) as Envelope
    })
  } finally {
    await sandbox.close()
  }
}

async function withFile(use: (file: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "cs-sandbox-"))
  try {
    await use(join(directory, "state.jsonl"))
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
