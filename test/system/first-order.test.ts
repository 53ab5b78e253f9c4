import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { promisify } from "node:util"

import { concat, keccak256, toUtf8Bytes, verifyTypedData, ZeroAddress } from "ethers"

import { sandboxChainId } from "../../src/sandbox/state/market.ts"
import { countersignJson, serve, type Served } from "../support/countersign.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot, sectionOf } from "../support/markdown.ts"
import { needs } from "../support/needs.ts"

const run = promisify(execFile)

// The last line keeps a terminal; the port and the token are what one person's run differs in from another's.
const serveLine = "countersign serve\n"
const tokenLine = "TOKEN=cs_…\n"
const shownUrl = "http://127.0.0.1:8420"

describe("the README's first order", needs("curl", "apt-get install curl"), () => {
  it("is signed by the commands as they stand there", async (t) => {
    const [prepare = "", order = "", ...others] = fencedBlocks(
      sectionOf(readRepositoryFile("README.md"), "A first order"),
      "sh",
    )
    assert.deepEqual(others, [])
    const home = await mkdtemp(join(tmpdir(), "cs-readme-"))
    const daemons: Served[] = []
    t.after(async () => {
      for (const each of daemons) await each.stop() // one that runs goes on writing there
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
    })

    const printed = await shell(without(prepare, serveLine), { home, from: repositoryRoot })
    const [token = ""] = /^cs_\S+$/m.exec(printed) ?? []
    assert.match(token, /^cs_/)
    assert.match(printed, /^All files are valid\. Policies: bot\.$/m)

    const dir = join(home, "countersign-try", "d")
    const daemon = await serve(dir)
    daemons.push(daemon)
    const asked = `TOKEN=${token}\n${without(order, tokenLine)}`.replace(shownUrl, daemon.url)
    assert.ok(asked.includes(daemon.url) && !asked.includes(shownUrl))
    await assertSigned(await shell(asked, { home, from: home }), dir)
  })
})

/** Runs lines as a person's shell would, and returns what they print. @throws at the first that fails. */
async function shell(
  lines: string,
  { home, from }: { readonly home: string; readonly from: string },
): Promise<string> {
  const options = { cwd: from, env: { PATH: process.env["PATH"], HOME: home } }
  const { stdout } = await run("sh", ["-eu", "-c", lines], options)
  return stdout
}

/** A block without one line that it must hold. */
function without(block: string, line: string): string {
  assert.ok(block.includes(line), `the README says ${line}`)
  return block.replace(line, "")
}

type SignedBody = {
  readonly symbol_id: number
  readonly signer_address: string
  readonly nonce: number
  readonly expires_after: number
  readonly signature: { readonly r: string; readonly s: string; readonly v: number }
}

/** The body of the order asked for, signed by the client's first key for the next 15 seconds. */
async function assertSigned(text: string, dir: string): Promise<void> {
  const body = JSON.parse(text) as SignedBody
  const { signature, signer_address: signer, nonce, expires_after: expiresAfter, ...order } = body
  assert.deepEqual(order, {
    symbol_id: 1,
    is_buy: true,
    order_type: "limit",
    price: "63000",
    quantity: "0.1",
  })
  const keys = await countersignJson<
    readonly { readonly name: string; readonly address: string }[]
  >(["keys", "list", "--dir", dir])
  assert.equal(signer, keys.find(({ name }) => name === "mm")?.address)
  assert.equal(expiresAfter, nonce + 15_000)
  // docs/signing.md, type A: the tag of placeOrder and the business fields, whose keys came sorted.
  const actionHash = keccak256(concat(["0x07", toUtf8Bytes(JSON.stringify(order))]))
  const message = { signerAddress: signer, actionHash, nonce, expiresAfter }
  assert.equal(verifyTypedData(domain, { Agent: agentFields }, message, signature), signer)
}

const domain = {
  name: "Service",
  version: "1",
  chainId: sandboxChainId,
  verifyingContract: ZeroAddress,
}
const agentFields = [
  { name: "signerAddress", type: "address" },
  { name: "actionHash", type: "bytes32" },
  { name: "nonce", type: "uint64" },
  { name: "expiresAfter", type: "uint64" },
]
