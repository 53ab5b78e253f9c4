import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, before, describe, it } from "node:test"
import { promisify } from "node:util"

import { Wallet } from "ethers"

import { controlPath } from "../../src/sandbox/faults.ts"
import { startAccidents, type Accidents } from "../support/accidents.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { keepOutput, registerIfSecret } from "../support/canaries.ts"
import { sandbox, type Served } from "../support/countersign.ts"
import { httpClients, startRecorder, writeClients } from "../support/http-clients.ts"
import { namingProxy } from "../support/named-proxy.ts"
import { bin } from "../support/published.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot, sectionOf } from "../support/markdown.ts"
import { needs } from "../support/needs.ts"

const run = promisify(execFile)

/** What each example says of the trouble that it is brought into. A record can lag a little behind its answer. */
const saidInTrouble = [
  /^check 0\.6: policy_denied, quantity_over_max$/,
  /^place 0\.3: limit_exhausted, again in 1 s$/,
  /^place 0\.3: upstream_outcome_unknown, again under the same key$/,
  /^place 0\.3: upstream_outcome_unknown, The venue refused .*$/,
  /^record: (?:signed|sent|unknown)$/,
  /^open at the venue$/,
  /^cancel: upstream_outcome_unknown, again under the same key$/,
  /^cancel: accepted$/,
  /^check 0\.6: policy_denied, quantity_over_max$/,
  /^place 0\.3: no_answer, again under the same key$/,
  /^place 0\.3: accepted$/,
  /^record: (?:signed|sent|accepted)$/,
  /^cancel: accepted$/,
]

const programs = {
  sh: {},
  python3: needs("python3", "apt-get install python3"),
  "node_modules/.bin/node": {},
  go: needs("go", "apt-get install golang-go"),
  java: needs("javac", "apt-get install openjdk-17-jdk-headless"),
}

const ordersPath = "/v1/trade/orders"
const shownUrl = "http://127.0.0.1:8420"
const node = JSON.stringify(process.execPath)

describe("bots of others", { timeout: 450_000, ...needs("curl", "apt-get install curl") }, () => {
  const page = readRepositoryFile("docs/moving-a-bot.md")
  const compatibility = readRepositoryFile("docs/compatibility.md")
  const oldKey = new Wallet(`0x${randomBytes(32).toString("hex")}`)
  let home: string
  let venue: Served
  let daemon: BotDaemon
  let accidents: Accidents
  let environment: Readonly<Record<string, string>>
  before(async () => {
    venue = await sandbox(["--account", oldKey.address])
    daemon = await startBotDaemon(["--venue", "sandbox", "--upstream", venue.url])
    // Comes into force by the page's reload. A signature outlives whatever holds a bot up here.
    await appendFile(join(daemon.dir, "countersign.yaml"), "expires_in: {trade: 2m}\n")
    accidents = await startAccidents(daemon.port)
    home = await mkdtemp(join(tmpdir(), "cs-examples-"))
    // What is written there finds ethers, as in a bot's own project.
    await symlink(join(repositoryRoot, "node_modules"), join(home, "node_modules"))
    await writeClients(home)
    environment = {
      COUNTERSIGN_URL: accidents.url,
      COUNTERSIGN_DIR: daemon.dir,
      COUNTERSIGN_TOKEN_FILE: join(dirname(daemon.dir), "quoter.token"),
      // Go takes nothing from elsewhere, and leaves nothing behind.
      ...{ GOTOOLCHAIN: "local", GOFLAGS: "", GOPROXY: "off" },
      ...{ GOCACHE: join(home, "go-cache"), GOPATH: join(home, "go") },
    }
  })
  after(async () => {
    await accidents.close()
    await daemon.remove()
    await venue.stop()
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  })

  /** Runs lines as a person's shell would, and returns what they print. @throws at the first that fails. */
  async function shell(lines: string, from = repositoryRoot): Promise<string> {
    const options = { cwd: from, env: { ...process.env, ...environment }, timeout: 120_000 }
    const { stdout, stderr } = await run("sh", ["-eu", "-c", lines], options)
    keepOutput("what bots of others print", `${stdout}${stderr}`)
    return stdout
  }

  async function orders(kind: "open-orders" | "order-history"): Promise<readonly Order[]> {
    const response = await fetch(`${venue.url}/v1/trade/${kind}`)
    return ((await response.json()) as { data: { list: readonly Order[] } }).data.list
  }

  async function addFault(fault: object): Promise<void> {
    const headers = { "Content-Type": "application/json" }
    const body = JSON.stringify({ times: 1, ...fault })
    const { status } = await fetch(venue.url + controlPath, { method: "POST", headers, body })
    assert.equal(status, 200)
  }

  it("are moved by the commands of docs/moving-a-bot.md as they stand there", async () => {
    const lines = fencedBlocks(page, "sh").join("").replaceAll(shownUrl, daemon.url)
    assert.ok(lines.includes(daemon.url))
    const countersign = `countersign() { ${node} ${JSON.stringify(bin)} "$@"; }\n`
    const printed = await shell(countersign + lines, dirname(daemon.dir))
    registerIfSecret("a token", (await readFile(tokenFile(), "utf8")).trim())
    assert.match(printed, /^All files are valid\. Policies: quoter, trading\.$/m)
    assert.match(printed, /"would_sign":false.*quantity_over_max/)
    assert.match(printed, /1 of 1 requests would now be refused\.$/m)
    assert.match(printed, /^\S+ +#\d+ +shadow +quoter placeOrder/m)
    assert.match(printed, /^quoter +agent +0x\w+ +approved +29 d/m)
  })

  function tokenFile(): string {
    return environment["COUNTERSIGN_TOKEN_FILE"] ?? ""
  }

  it("place the same order before and after the diff of docs/moving-a-bot.md", async () => {
    const [diff = "", ...others] = fencedBlocks(page, "diff")
    assert.deepEqual(others, [])
    await writeFile(join(home, "key"), `${oldKey.privateKey}\n`, { mode: 0o600 })
    registerIfSecret("a bot's own key", oldKey.privateKey)
    for (const side of ["-", "+"]) {
      const file = join(home, side === "-" ? "before.mjs" : "after.mjs")
      await writeFile(file, sideOf(diff, side))
      const places = `KEY_FILE=${join(home, "key")} VENUE_URL=${venue.url}`
      assert.match(await shell(`${places} ${node} ${file}`), /^0 \d+$/m)
    }
    const [before, now, ...more] = await orders("open-orders")
    assert.deepEqual(more, [])
    assert.ok(before !== undefined && now !== undefined)
    assert.equal(before.account_address, oldKey.address.toLowerCase())
    assert.equal(now.account_address, daemon.keys.wallet.address.toLowerCase())
    assert.deepEqual(fieldsOf(before), fieldsOf(now))
  })

  for (const [program, needed] of Object.entries(programs)) {
    it(`trade once and no more, and cancel, whatever is lost: ${program}`, needed, async () => {
      const line = exampleLines().find((each) => ` ${each}`.includes(` ${program} `))
      assert.ok(line !== undefined)
      const [open, ended] = [await orders("open-orders"), await orders("order-history")]
      accidents.plan(ordersPath, ["limit", "none", "none", "cut"])
      await addFault({ kind: "drop_after", path: ordersPath })
      await addFault({ kind: "drop_before", path: `${ordersPath}/cancel` })

      const lines = (await shell(line)).trimEnd().split("\n")
      assert.equal(lines.length, saidInTrouble.length, lines.join("\n"))
      for (const [index, pattern] of saidInTrouble.entries()) {
        assert.match(lines[index] ?? "", pattern)
      }
      assert.deepEqual(accidents.left(), [])
      assert.deepEqual(await orders("open-orders"), open)
      const placed = (await orders("order-history")).slice(ended.length)
      assert.deepEqual(
        placed.map(({ price, quantity, state }) => [price, quantity, state]),
        [
          ["63000", "0.3", "cancelled"],
          ["62900", "0.3", "cancelled"],
        ],
      )
    })
  }

  for (const { name, line, needed } of httpClients) {
    it(
      `are served by the defaults of ${name}, as docs/compatibility.md says`,
      needed,
      async (t) => {
        const token = `TOKEN=$(cat '${tokenFile()}'); export TOKEN`
        const ask = async (url: string, more: Readonly<Record<string, string>> = {}) => {
          const set = Object.entries({ ...more, URL: url }).map(
            ([key, value]) => `${key}='${value}'`,
          )
          return (await shell(`${token} ${set.join(" ")}\n${line}`, home)).trimEnd().split("\n")
        }
        const [version = "", ...statuses] = await ask(daemon.url)
        assert.deepEqual(statuses, ["200", "200"])
        const recorder = await startRecorder(t)
        await ask(recorder.url, namingProxy(recorder.url))
        const isProxied = recorder.targets.some((target) => target.startsWith("http:"))
        const short = version.replace(/^(\S+ \d+(?:\.\d+)?).*$/, "$1")
        const headers = [...recorder.sent]
          .map((each) => `\`${each}\``)
          .sort()
          .join(", ")
        const row = [short, headers || "nothing", isProxied ? "is given all" : "not asked"]
        assert.deepEqual(tableRow(compatibility, name), row)
      },
    )
  }

  it("say what examples/README.md shows where nothing goes wrong", async () => {
    const [shown = ""] = fencedBlocks(readRepositoryFile("examples/README.md"), "text")
    const printed = await shell("sh examples/bot.sh")
    assert.equal(printed.replaceAll(/record: (?:signed|sent)/g, "record: accepted"), shown + shown)
  })

  it("are clean by go vet and gofmt", needs("go", "apt-get install golang-go"), async () => {
    assert.equal(await shell("go vet examples/bot.go && gofmt -l examples/bot.go"), "")
  })
})

/** The cells of the row of the table of HTTP clients that begins by a name. */
function tableRow(page: string, name: string): readonly string[] {
  const section = sectionOf(page, "HTTP clients, by their defaults")
  const row = section.split("\n").find((line) => line.startsWith(`| ${name} `)) ?? ""
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
}

type Order = Readonly<
  Record<"account_address" | "price" | "quantity" | "state", string> & Record<string, unknown>
>

function fieldsOf({ price, quantity, symbol_id: symbol, is_buy: isBuy }: Order): object {
  return { price, quantity, symbol, isBuy }
}

/** The lines of examples/README.md that start an example. */
function exampleLines(): readonly string[] {
  const section = sectionOf(readRepositoryFile("examples/README.md"), "Try one")
  const lines = fencedBlocks(section, "sh").flatMap((block) => block.split("\n"))
  return lines.filter((line) => /^\S+ .*\bexamples\/bot\.\w+$/.test(line))
}

/** A file as it is before a diff (`-`) or after it (`+`). */
function sideOf(diff: string, side: string): string {
  const lines = diff.split("\n").filter((line) => line === "" || [" ", side].includes(line[0]!))
  return lines.map((line) => line.slice(1)).join("\n")
}
