import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { pathToFileURL } from "node:url"

import openapiTypes, { astToString } from "openapi-typescript"

import {
  marketSymbols,
  sandboxChainId,
  sandboxServiceChain,
} from "../../src/sandbox/state/market.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { countersign, sandbox, type Served } from "../support/countersign.ts"
import { readRepositoryFile, repositoryRoot } from "../support/markdown.ts"
import { writePolicy } from "../support/trading-keys.ts"

/** What somebody writes who has docs/openapi.json alone, and the types that a tool makes of it. */
const client = `
import type { components, operations, paths } from "./contract.ts"

type Json = "application/json"
type Operation = Extract<keyof operations, "approveAgent" | "placeOrder" | "checkPlaceOrder">
type BodyOf<Id extends Operation> = operations[Id]["requestBody"]["content"][Json]
type AnswerOf<Id extends Operation> = operations[Id]["responses"][200]["content"][Json]
type Place = { readonly url: string; readonly token: string }
type Problem = components["schemas"]["Problem"]

const places = {
  approveAgent: "/v1/account/approve-agent",
  placeOrder: "/v1/trade/orders",
  checkPlaceOrder: "/check/v1/trade/orders",
} as const satisfies Record<Operation, keyof paths>

export async function ask<Id extends Operation>(
  { url, token }: Place,
  id: Id,
  { body, key = "mm" }: { readonly body: BodyOf<Id>; readonly key?: string },
): Promise<{ ok: true; data: AnswerOf<Id> } | { ok: false; problem: Problem }> {
  const authorization = \`Bearer \${token}\`
  const headers = { authorization, "content-type": "application/json", "countersign-key": key }
  const init = { method: "POST", headers, body: JSON.stringify(body) }
  const response = await fetch(url + places[id], init)
  const answer: unknown = await response.json()
  return response.ok
    ? { ok: true, data: answer as AnswerOf<Id> }
    : { ok: false, problem: answer as Problem }
}

const order: BodyOf<"placeOrder"> = {
  symbol_id: 1,
  is_buy: true,
  order_type: "limit",
  price: "63000",
  quantity: "0.1",
}

// @ts-expect-error -- a quantity is a string
export const wrongType: BodyOf<"placeOrder"> = { ...order, quantity: 1 }
// @ts-expect-error -- there is no such field
export const wrongName: BodyOf<"placeOrder"> = { symbol_id: 1, is_buy: true, quantity: "1", qty: "1" }

export async function trade(place: Place, approval: BodyOf<"approveAgent">) {
  const approved = await ask(place, "approveAgent", { body: approval, key: "main" })
  const large = { ...order, quantity: "0.6" }
  const checked = await ask(place, "checkPlaceOrder", { body: large })
  const refused = await ask(place, "placeOrder", { body: large })
  const placed = await ask(place, "placeOrder", { body: order })
  return {
    approved: approved.ok,
    wouldSign: checked.ok && checked.data.data.would_sign,
    reason:
      !refused.ok && refused.problem.code === "policy_denied" ? refused.problem.data.reason : "none",
    code: placed.ok ? placed.data.code : placed.problem.code,
    orderId: placed.ok ? placed.data.data.order_id?.length : undefined,
  }
}

type Read = operations["read"]
type Page = Read["responses"][200]["content"][Json]

/** The names of a list, page by page. A value in a path has its slashes encoded, as OpenAPI asks. */
export async function readNames(
  { url, token }: Place,
  { path }: Read["parameters"]["path"],
  query: NonNullable<Read["parameters"]["query"]>,
): Promise<readonly unknown[]> {
  const values = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  const target = "/v1/{path}".replace("{path}", encodeURIComponent(path))
  const headers = { authorization: \`Bearer \${token}\` }
  const response = await fetch(\`\${url}\${target}?\${new URLSearchParams(values)}\`, { headers })
  const { data } = (await response.json()) as Page
  const { list = [], next_cursor: cursor } = data
  return cursor ? [...list, ...(await readNames({ url, token }, { path }, { ...query, cursor }))] : list
}

export const period: Read["parameters"]["query"] = { start_time: "1", end_time: "2", all: "true" }
`

const settings = {
  compilerOptions: {
    target: "es2025",
    lib: ["es2025", "dom"],
    types: [],
    module: "nodenext",
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
  },
  include: ["*.ts"],
}

type Client = {
  readonly trade: (
    place: { readonly url: string; readonly token: string },
    approval: object,
  ) => Promise<Readonly<Record<string, unknown>>>
  readonly readNames: (
    place: { readonly url: string; readonly token: string },
    where: { readonly path: string },
    query: { readonly limit: number },
  ) => Promise<readonly { readonly name: string }[]>
}

describe("a client with types made of docs/openapi.json", { timeout: 120_000 }, () => {
  let directory: string
  let venue: Served
  let daemon: BotDaemon
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "cs-client-"))
    const types = await openapiTypes(readRepositoryFile("docs/openapi.json"))
    await writeFile(join(directory, "contract.ts"), astToString(types))
    await writeFile(join(directory, "client.ts"), client)
    await writeFile(join(directory, "package.json"), '{"type": "module"}')
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify(settings))
    venue = await sandbox()
    daemon = await startBotDaemon(["--venue", "sandbox", "--upstream", venue.url])
  })
  after(async () => {
    await daemon.remove()
    await venue.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  })

  it("compiles, and not with a wrong order", () => {
    const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc")
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", directory], {
      encoding: "utf8",
    })
    assert.deepEqual([status, stdout], [0, ""])
  })

  it("approves its agent, is told what is refused and why, and places an order", async () => {
    const path = pathToFileURL(join(directory, "client.ts")).href
    const { trade } = (await import(path)) as Client
    const { agent, wallet } = daemon.keys
    const done = await trade(daemon, {
      service_chain: sandboxServiceChain,
      signature_chain_id: sandboxChainId,
      agent_address: agent.address,
      authorized_address: wallet.address,
      valid_days: 30,
      label: agent.name,
    })
    const reason = "quantity_over_max"
    const { orderId, ...others } = done
    assert.deepEqual(others, { approved: true, wouldSign: false, reason, code: "0" })
    assert.equal(typeof orderId, "number")
  })

  it("reads a list page by page, at a path of several segments", async () => {
    await writePolicy(daemon.dir, "policy: readers\nreads: [/v1/market/**]\n", "readers.yaml")
    const reloaded = await countersign(["policy", "reload", "--dir", daemon.dir])
    assert.equal(reloaded.code, 0, reloaded.stderr)
    const path = pathToFileURL(join(directory, "client.ts")).href
    const { readNames } = (await import(path)) as Client
    const names = await readNames(daemon, { path: "market/symbols" }, { limit: 1 })
    assert.deepEqual(
      names.map(({ name }) => name),
      marketSymbols.map(({ name }) => name),
    )
  })
})
