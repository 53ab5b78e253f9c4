import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"

import { openApiDocument } from "../../../packaging/openapi/document.ts"
import type { JsonObject } from "../../../src/venue/json.ts"
import { parsePayload } from "../../../src/venue/payload/parse-payload.ts"
import type { OperationId } from "../../../src/venue/profile.ts"
import { errorCodes } from "../../../src/gate/http/problem.ts"
import { builtinEndpoints } from "../../../src/venue/builtin-profile.ts"
import { askHttp, startGate } from "../../support/gate.ts"
import { readRepositoryFile } from "../../support/markdown.ts"
import { numRuns } from "../../support/runs.ts"
import { endpointOf, profileOf } from "../venue/profile-text.ts"

const text = readRepositoryFile("docs/openapi.json")

type Schema = {
  readonly $ref?: string
  readonly oneOf?: readonly Schema[]
  readonly required?: readonly string[]
  readonly const?: string
  readonly properties?: Readonly<Record<string, Schema>>
}
type Shown = { readonly example?: unknown; readonly examples?: object }
type Content = Readonly<Record<string, Shown>>
type Operation = {
  readonly requestBody?: { readonly content: Content }
  readonly responses: { readonly "200": { readonly content: Content } }
}
type Contract = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, { readonly content: Content }>>
  }
}

const { paths, components } = JSON.parse(text) as Contract
const operations = Object.entries(paths).flatMap(([path, ofPath]) =>
  Object.values(ofPath).map((operation) => [path, operation] as const),
)
const described = Object.entries(paths).flatMap(([path, ofPath]) =>
  Object.keys(ofPath).map((method) => `${method.toUpperCase()} ${path}`),
)

const edges = ["0.0001", "0.00009", "0.1", "0.10", "0.11", "0", "0.0", "1", "0.00010", "0.1001"]
/** Decimals around the edges of what slippage may be. */
const nearSlippage = fc.stringMatching(/^0\.0{0,5}[0-9]{0,6}$|^[0-9]{1,2}(\.[0-9]{1,3})?$/)

const approvalOfMainnet = {
  service_chain: "Mainnet",
  signature_chain_id: 84256,
  agent_address: `0x${"1".repeat(40)}`,
  authorized_address: `0x${"2".repeat(40)}`,
  label: "bot",
}

function firstOf(content: Content): Shown {
  return Object.values(content)[0] ?? {}
}

/** The gate's routes, each with the paths that it is in the contract by. */
function served(): readonly string[] {
  const source = readRepositoryFile("src/gate/routes.ts")
  const routes = [...source.matchAll(/^ +(get|post)\(\s*"([^"]+)"/gm)]
  return routes.flatMap(([, verb = "", path = ""]) => {
    const method = verb.toUpperCase()
    const [prefix, isMany] = [path.replace("/v1/*path", ""), path.endsWith("/v1/*path")]
    if (!isMany) return [`${method} ${path.replace(":id", "{id}")}`]
    if (method === "GET") return [`${method} ${prefix}/v1/{path}`]
    return builtinEndpoints.map((endpoint) => `${method} ${prefix}${endpoint.path}`)
  })
}

describe("docs/openapi.json", () => {
  it("is what the code makes; npm run openapi writes it", () => {
    assert.deepEqual(JSON.parse(text), openApiDocument())
  })

  it("has every route of the gate, with every operation of the venue, and no other", () => {
    assert.deepEqual([...described].sort(), [...served()].sort())
  })

  it("has every code that the daemon says no with, and no other", () => {
    const { schemas } = components
    const all = (schemas["Problem"]?.oneOf ?? []).map(({ $ref = "" }) => $ref.split("/").at(-1))
    const codes = all.map((name = "") => schemas[name]?.properties?.["code"]?.const)
    assert.deepEqual([...codes].sort(), [...errorCodes].sort())
  })

  it("shows every code with a call that can be answered so, but the one of methods that no call has", () => {
    const { Problem, ...others } = components.schemas
    assert.ok(Problem !== undefined)
    const uses = JSON.stringify({
      ...JSON.parse(text),
      components: { ...components, schemas: others },
    })
    const unused = errorCodes.filter((code) => !uses.includes(`"${code}":{"value"`))
    assert.deepEqual(unused, ["method_not_allowed"])
  })

  it("has the ranges that the parser holds orders and approvals to", () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false })
    ajv.addSchema(JSON.parse(text) as object, "contract")
    const fits = (name: string) => ajv.compile({ $ref: `contract#/components/schemas/${name}` })
    const [fitsOrder, fitsApproval] = [fits("PlaceOrder"), fits("ApproveAgent")]
    const profile = profileOf()
    const reads = (id: OperationId, body: JsonObject) =>
      parsePayload(endpointOf(profile, id), body, profile).ok
    const market = { symbol_id: 1, is_buy: true, order_type: "market", quantity: "1" }
    fc.assert(
      fc.property(nearSlippage, (slippage) => {
        const order = { ...market, slippage }
        assert.equal(fitsOrder(order), reads("placeOrder", order), slippage)
      }),
      { ...numRuns(300), examples: edges.map((slippage) => [slippage]) },
    )
    for (const valid_days of [-1, 0, 1, 2 ** 32 - 1, 2 ** 32]) {
      const approval = { ...approvalOfMainnet, valid_days }
      assert.equal(fitsApproval(approval), reads("approveAgent", approval), String(valid_days))
    }
  })

  it("has an example of each body that is sent, of each success and of each error's code", () => {
    for (const [path, operation] of operations) {
      const { requestBody, responses } = operation
      if (requestBody !== undefined) assert.ok(firstOf(requestBody.content).example, path)
      assert.notEqual(firstOf(responses["200"].content).example, undefined, path)
    }
    const { AnyProblem, ...problems } = components.responses
    assert.ok(AnyProblem)
    for (const [name, { content }] of Object.entries(problems)) {
      assert.ok(firstOf(content).examples, name)
    }
  })

  it("types an order's answer as the interface has it, and the envelope whole", () => {
    const { PlaceOrderAnswer, VenueAnswer } = components.schemas
    assert.deepEqual(VenueAnswer?.required, ["code", "msg", "data", "trace_code"])
    const data = PlaceOrderAnswer?.properties?.["data"]
    assert.deepEqual(Object.keys(data?.properties ?? {}), [
      ...["tx_hash", "order_id", "client_order_id", "state"],
    ])
  })

  it("passes a linter, with its examples", async () => {
    const config = await createConfig({
      extends: ["recommended-strict"],
      rules: { "operation-description": "error", "info-contact": "error" },
    })
    const problems = await lintFromString({ source: text, absoluteRef: "/openapi.json", config })
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
      [],
    )
  })

  it("is served as it is, without a token", async (t) => {
    const gate = await startGate(t)
    const reply = await askHttp(gate.port, { path: "/openapi.json" })
    assert.deepEqual([reply.status, reply.text], [200, text])
    assert.equal(reply.headers["content-type"], "application/json")
    assert.deepEqual(gate.vault.calls, [])
  })
})
