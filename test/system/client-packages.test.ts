import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { after, before, describe, it } from "node:test"
import { promisify } from "node:util"

import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { keepOutput } from "../support/canaries.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot } from "../support/markdown.ts"
import { lacking, needs } from "../support/needs.ts"

const run = promisify(execFile)
const debians = "/usr/bin/python3"
const [version = ""] = /(?<="version": ")[^"]+/.exec(readRepositoryFile("package.json")) ?? []
const large =
  '{"symbol_id": 1, "is_buy": true, "order_type": "limit", "price": "63000", "quantity": "0.6"}'

const builds = needs("npm", "apt-get install npm")
const hasPython = ["setuptools", "wheel", "pip"].every((name) =>
  existsSync(`/usr/lib/python3/dist-packages/${name}`),
)
const python = hasPython
  ? {}
  : lacking("needs apt-get install python3-setuptools python3-wheel python3-pip")

describe("the clients' packages", { timeout: 300_000, ...builds, ...python }, () => {
  let home: string
  let daemon: BotDaemon
  let tokenFile: string
  let archives: readonly string[]
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "cs-clients-"))
    daemon = await startBotDaemon(["--venue", "sandbox"])
    tokenFile = join(home, "token")
    await writeFile(tokenFile, daemon.token, { mode: 0o600 })
    const builder = join(repositoryRoot, "packaging/client/build.ts")
    const { stdout } = await run(process.execPath, [builder, "--to", join(home, "made")])
    archives = stdout.trim().split("\n")
  })
  after(async () => {
    await daemon.remove()
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  })

  it("are npm's, a wheel and a source distribution, of the daemon's version", () => {
    assert.deepEqual(
      archives.map((path) => basename(path)),
      [
        `countersign-client-${version}.tgz`,
        `countersign_client-${version}-py3-none-any.whl`,
        `countersign-client-${version}.tar.gz`,
      ],
    )
  })

  it("have the same bytes when they are built again, but for the source distribution, which has the time in it", async () => {
    const builder = join(repositoryRoot, "packaging/client/build.ts")
    const { stdout } = await run(process.execPath, [builder, "--to", join(home, "again")])
    const again = stdout.trim().split("\n")
    for (const index of [0, 1]) {
      const [one, other] = [archives[index]!, again[index]!]
      assert.ok((await readFile(one)).equals(await readFile(other)), basename(one))
    }
  })

  describe("for TypeScript", () => {
    let project: string
    before(async () => {
      project = join(home, "bot")
      await mkdir(project)
      await writeFile(join(project, "package.json"), '{"type": "module"}')
      const quietly = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"]
      await run("npm", ["install", ...quietly, archives[0]!], { cwd: project })
    })

    it("is alone, and has a file for each of src/client with its types, the contract's, page and licence", async () => {
      const { stdout } = await run("find", ["node_modules", "-type", "f"], { cwd: project })
      const sources = ["answer", "create-client", "fetch-direct", "send-until-clear"]
      const made = sources.flatMap((name) => [`${name}.js`, `${name}.d.ts`])
      const besides = ["contract.d.ts", "package.json", "README.md", "LICENSE"]
      const files = [...made, ...besides].map((name) => `node_modules/countersign-client/${name}`)
      assert.deepEqual(
        stdout.trim().split("\n").sort(),
        [...files, "node_modules/.package-lock.json"].sort(),
      )
    })

    it("signs in a bot that the compiler has checked with what its page shows, and tells what is refused", async () => {
      const [shown = ""] = fencedBlocks(await installed("README.md"), "ts")
      const known = `declare const url: string, token: string
declare const order: { symbol_id: number; is_buy: boolean; quantity: string }
`
      const none =
        '// @ts-expect-error -- there is no such path\nawait client.send("/v1/none", {})\n'
      await writeFile(join(project, "shown.ts"), `${shown}${known}${none}`)
      await writeFile(
        join(project, "bot.ts"),
        `import { createClient } from "countersign-client"

type Files = { readFileSync(path: string, encoding: "utf8"): string }
declare const process: {
  readonly argv: readonly string[]
  getBuiltinModule(name: "node:fs"): Files
}
const { readFileSync } = process.getBuiltinModule("node:fs")
const [, , url = "", tokenFile = ""] = process.argv
const client = createClient({ url, token: readFileSync(tokenFile, "utf8") })
const order = ${large} as const
const by = { key: "mm" }
const signed = await client.sign("/v1/trade/orders", { ...order, quantity: "0.1" }, by)
if (signed.ok) console.log(signed.data.body.signature.r.length)
const refused = await client.sign("/v1/trade/orders", order, by)
if (!refused.ok && refused.source === "daemon" && refused.code === "policy_denied")
  console.log(refused.data.reason)
`,
      )
      await compile()
      const args = ["bot.js", daemon.url, tokenFile]
      const { stdout, stderr } = await run(process.execPath, args, { cwd: project })
      keepOutput("what a bot with the client's package prints", `${stdout}${stderr}`)
      assert.deepEqual([stdout, stderr], ["66\nquantity_over_max\n", ""])
    })

    function installed(name: string): Promise<string> {
      return readFile(join(project, "node_modules/countersign-client", name), "utf8")
    }

    async function compile(): Promise<void> {
      const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc")
      const options = ["--strict", "--module", "nodenext", "--target", "es2024"]
      await run(process.execPath, [compiler, ...options, "bot.ts", "shown.ts"], { cwd: project })
    }
  })

  for (const [index, kind] of [
    [1, "wheel"],
    [2, "source distribution"],
  ] as const) {
    it(`for Python signs, and tells what is refused, installed from the ${kind}`, async () => {
      const target = join(home, `python-${index}`)
      const alone = ["--no-index", "--no-deps", "--no-build-isolation", "--root-user-action=ignore"]
      const into = ["--target", target, archives[index]!]
      await run(debians, ["-m", "pip", "install", ...alone, ...into], { cwd: home })
      const bot = `import json, sys
from countersign_client import Client, PolicyDenied
path, order = "/v1/trade/orders", json.loads(sys.argv[3])
client = Client(sys.argv[1], token_file=sys.argv[2])
print(len(client.sign(path, {**order, "quantity": "0.1"}, key="mm").body["signature"]["r"]))
try:
    client.sign(path, order, key="mm")
except PolicyDenied as denied:
    print(denied.data["reason"])
`
      const env = { ...process.env, PYTHONPATH: target }
      const args = ["-W", "error", "-c", bot, daemon.url, tokenFile, large]
      const { stdout, stderr } = await run(debians, args, { cwd: target, env })
      keepOutput("what a bot with Python's package prints", `${stdout}${stderr}`)
      assert.deepEqual([stdout, stderr], ["66\nquantity_over_max\n", ""])
    })
  }
})
