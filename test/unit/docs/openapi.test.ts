import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { createConfig, lintFromString } from "@redocly/openapi-core"

import { openApiDocument } from "../../../packaging/openapi/document.ts"
import { errorCodes } from "../../../src/gate/http/error-response.ts"
import { builtinEndpoints } from "../../../src/venue/endpoints.ts"
import { askHttp, startGate } from "../../support/gate.ts"
import { readRepositoryFile } from "../../support/markdown.ts"

const text = readRepositoryFile("docs/openapi.json")

type Schema = {
  readonly $ref?: string
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, { readonly const?: string }>>
}
type Contract = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const { paths, components } = JSON.parse(text) as Contract
const described = Object.entries(paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
)

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

  it("passes a linter, with its examples", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] })
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
