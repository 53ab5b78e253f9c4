import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { promisify } from "node:util"

import { controlPath } from "../../src/sandbox/faults.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { keepOutput, registerIfSecret } from "../support/canaries.ts"
import { countersign, sandbox, type Served } from "../support/countersign.ts"
import { gateService } from "../support/gate-service.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot } from "../support/markdown.ts"
import { needs } from "../support/needs.ts"
import { processRunning, until } from "../support/process-tree.ts"
import { addClient, writePolicy } from "../support/trading-keys.ts"

const run = promisify(execFile)
const project = join(repositoryRoot, "clients/python")
const shownUrl = "http://127.0.0.1:8420"
const python = needs("python3", "apt-get install python3")

const policy = `policy: trading
rules:
  - name: quote
    endpoints: [placeOrder]
    symbols: [BTC-PERP, ETH-PERP]
    order_types: [limit]
    max_quantity: "0.5"
  - name: get-out
    endpoints: [cancelOrder]
hold:
  - {name: large, endpoints: [placeOrder], over_quantity: "0.4"}
limits:
  - {name: one, endpoints: [placeOrder], symbols: [ETH-PERP], count: requests, max: 1, window: 1h}
reads: ["/v1/market/**"]
`

describe("the Python client", { timeout: 300_000, ...python }, () => {
  let home: string
  let venue: Served
  let daemon: BotDaemon
  let environment: Readonly<Record<string, string>>
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "cs-python-"))
    venue = await sandbox()
    daemon = await startBotDaemon(["--venue", "sandbox", "--upstream", venue.url])
    // A signature outlives whatever holds these processes up.
    await appendFile(join(daemon.dir, "countersign.yaml"), "expires_in: {trade: 2m}\n")
    await writePolicy(daemon.dir, policy)
    await operator("policy", "reload")
    await operator("agent", "approve", "mm", "--valid-days", "30")
    const rights = ["prices", "freeze", "heartbeat"].flatMap((each) => ["--right", each])
    await addClient(daemon.dir, "other", ["--keys", "mm"])
    const token = await addClient(daemon.dir, "python", ["--keys", "mm", ...rights])
    registerIfSecret("a token", token)
    await writeFile(join(home, "token"), `${token}\n`, { mode: 0o600 })
    environment = {
      COUNTERSIGN_URL: daemon.url,
      COUNTERSIGN_TOKEN_FILE: join(home, "token"),
      COUNTERSIGN_SANDBOX: venue.url,
    }
  })
  after(async () => {
    await daemon.remove()
    await venue.stop()
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  })

  async function operator(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await countersign([...args, "--dir", daemon.dir])
    assert.equal(code, 0, stderr)
  }

  /** Runs unit tests of Python, and returns how many there were. @throws where one fails. */
  async function unittest(args: readonly string[], besides = {}): Promise<number> {
    const env = { ...process.env, ...environment, ...besides, PYTHONDONTWRITEBYTECODE: "1" }
    const all = ["-W", "error", "-m", "unittest", ...args]
    const { stdout, stderr } = await run("python3", all, { cwd: project, env, timeout: 200_000 })
    keepOutput("what the Python client's tests print", `${stdout}${stderr}`)
    assert.match(stderr, /^OK$/m)
    return Number(/^Ran (\d+) tests?/m.exec(stderr)?.[1])
  }

  const withDaemon = (name: string): string[] => [`tests.with_daemon.${name}`]

  it("does what its own tests say, before answers that were made", async () => {
    assert.ok((await unittest(["discover", "-t", ".", "-s", "tests"])) > 60)
  })

  for (const name of ["Trading", "Refusals", "Doubts", "Reading", "Rights"]) {
    it(`does before a real daemon what tests/with_daemon.py says of ${name}`, async () => {
      assert.ok((await unittest(withDaemon(name))) > 1)
    })
  }

  it("places once, whatever became of the gate meanwhile", async () => {
    // Slow enough that the gate is killed meanwhile on a busy machine too.
    const slow = { kind: "latency", ms: 4_000, times: 1, path: "/v1/trade/orders" }
    const headers = { "content-type": "application/json" }
    const asked = { method: "POST", headers, body: JSON.stringify(slow) }
    assert.equal((await fetch(venue.url + controlPath, asked)).status, 200)
    assert.equal(await faultsWaiting(), 1)
    const placing = unittest(withDaemon("AcrossAGateThatDies"))
    await until(async () => (await faultsWaiting()) === 0 || undefined, "the order is at the venue")
    const gate = await processRunning("--bot-socket", daemon.dir)
    process.kill(gate.pid, "SIGKILL")
    assert.equal(await placing, 1)
  })

  async function faultsWaiting(): Promise<number> {
    const { data } = (await (await fetch(venue.url + controlPath)).json()) as {
      data: { list: readonly unknown[] }
    }
    return data.list.length
  }

  it("works over the gate's Unix socket", needs("perl", "apt-get install perl"), async (t) => {
    const service = await gateService(t, { environment: { COUNTERSIGN_SANDBOX: "exec" } })
    service.connectVault(join(daemon.dir, "bot.sock"))
    service.start()
    await service.notify.until(/^STATUS=serving .*; the vault signs/)
    const besides = { COUNTERSIGN_URL: `unix:${service.path}` }
    assert.equal(await unittest(withDaemon("OverAUnixSocket"), besides), 1)
  })

  /** Runs the programs that a page shows, one after the other, and returns what they print. */
  async function runPage(page: string, besides = ""): Promise<string> {
    const shown = fencedBlocks(readRepositoryFile(page), "python").join("\n")
    const program = shown
      .replaceAll(`"${shownUrl}"`, "sys.argv[1]")
      .replaceAll('"quoter.token"', "sys.argv[2]")
    const file = join(home, "shown.py")
    await writeFile(file, `import sys\n${program}\n${besides}`)
    const args = ["-W", "error", file, daemon.url, join(home, "token"), venue.url]
    const env = { ...process.env, PYTHONPATH: project, PYTHONDONTWRITEBYTECODE: "1" }
    const { stdout } = await run("python3", args, { env, timeout: 60_000 })
    keepOutput("what the pages about Python print", stdout)
    return stdout
  }

  it("does what docs/python.md shows", async () => {
    const lines = (await runPage("docs/python.md")).split("\n")
    const shown = [
      /^\d+ rec_\w+ False$/,
      /^quantity_over_max 0\.5$/,
      /^True$/,
      /^\d{3} \d{13}$/,
      /^Signed\(/,
      /^python \[/,
      /^(?:sent|accepted) 1$/,
      ...[/^BTC-PERP$/, /^ETH-PERP$/, /^BTC-USD$/],
      ...[/^2$/, /^1$/, /^$/],
    ]
    assert.equal(lines.length, shown.length, lines.join("\n"))
    for (const [index, pattern] of shown.entries()) assert.match(lines[index] ?? "", pattern)
  })

  it("does what its README shows", async () => {
    assert.match(await runPage("clients/python/README.md"), /^\d+\n$/)
  })

  it("stands in a bot where docs/ccxt-bots.md puts it", async () => {
    const bots = `client = Client(sys.argv[1], token_file=sys.argv[2])
order = {"symbol_id": 1, "side": "buy", "quantity": "0.1", "price": "63000"}
print(SignedElsewhere(sys.argv[3], client).create_order(**order, client_order_id="c-1")["code"])
print(SentElsewhere(client).create_order(**order, client_order_id="c-2")["state"])
`
    assert.equal(await runPage("docs/ccxt-bots.md", bots), "0\nopen\n")
  })

  const mypy = needs("mypy", "apt-get install mypy")
  it("is typed to the last word, for Python 3.9", mypy, async () => {
    const strict = ["--strict", "--python-version", "3.9", "--enable-incomplete-feature=Unpack"]
    const cache = ["--cache-dir", join(home, "mypy")]
    const sources = [
      "countersign_client",
      "tests",
      "../../examples/bot.py",
      "../../examples/price_feeder.py",
    ]
    const options = { cwd: project, timeout: 200_000 }
    const { stdout } = await run("mypy", [...strict, ...cache, ...sources], options)
    assert.match(stdout, /^Success: no issues found/)
  })
})
