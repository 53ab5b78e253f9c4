// Holds what the gate is asked and answers in tests against docs/openapi.json.

import assert from "node:assert/strict"

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

import type { Json } from "../../packaging/openapi/json-schema.ts"
import { statuses } from "../../src/gate/http/problem.ts"
import { readRepositoryFile } from "../support/markdown.ts"

export type Exchange = {
  readonly method: string
  readonly path: string
  /** What was sent, where it is meant to be right if it is answered so. */
  readonly asked?: { readonly headers: ReadonlyMap<string, string>; readonly body: string }
  readonly status: number
  /** Of the answer; names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** Asserts that the gate answered as its contract says, and that what it took is what the contract asks for. */
export function assertConforms(exchange: Exchange): void {
  const source = sourceOf(exchange)
  if (source === undefined) return
  const { pointer, found: operation } = operationOf(exchange)
  const isDaemon = source === "daemon"
  const key =
    operation === undefined ? undefined : responseKey(operation, exchange.status, isDaemon)
  if (key === undefined) {
    assert.ok(operation === undefined, `${named(exchange)}: the contract has no such answer`)
    assertUnserved(exchange)
    return
  }
  const response = resolved(`${pointer}/responses/${key}`)
  assertHeaders(exchange, response.found)
  if (isDaemon && exchange.method !== "HEAD") assertBody(exchange, response)
  if (isTaken(exchange)) assertAsked(exchange, { pointer, found: operation ?? {} })
}

/** Headers by their names in lower case. */
export function headerMap(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): ReadonlyMap<string, string> {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined)
  return new Map(sent.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

/** Whose answer it is; `undefined` for another server's. */
function sourceOf({ headers }: Exchange): string | undefined {
  return headers.get("countersign-source")
}

type Found = { readonly pointer: string; readonly found: Json }

const text = readRepositoryFile("docs/openapi.json")
const contract = JSON.parse(text) as Json
const paths = contract["paths"] as Readonly<Record<string, Json>>
const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
ajv.addSchema(contract, "contract")
const checks = new Map<string, ValidateFunction>()

/** The operation that a call is for; none where the path or the method isn't served. */
function operationOf({ method, path }: Exchange): { pointer: string; found: Json | undefined } {
  const [plain = ""] = path.split("?")
  const name = pathOf(plain, method)
  const verb = method.toLowerCase()
  const operations = name === undefined ? undefined : paths[name]
  const pointer = `/paths/${escaped(name ?? "")}/${verb}`
  return { pointer, found: operations?.[verb] as Json | undefined }
}

function pathOf(path: string, method: string): string | undefined {
  if (path in paths) return path
  if (/^\/records\/[^/]+$/.test(path)) return "/records/{id}"
  if (method === "GET" && /^\/v1\/./.test(path)) return "/v1/{path}"
  // What venues serve besides, and what fake vaults sign, is answered like an order.
  const prefix = /^(\/sign|\/check)?(?=\/v1\/.)/.exec(path)?.[0]
  return prefix === undefined ? undefined : `${prefix}/v1/trade/orders`
}

/** Where an operation tells of a status. Only the venue may say what isn't named. */
function responseKey(operation: Json, status: number, isDaemon: boolean): string | undefined {
  const responses = operation["responses"] as Json
  if (String(status) in responses) return String(status)
  return isDaemon ? undefined : "default"
}

/** What is answered where nothing is served; any path and method may be refused so. */
function assertUnserved(exchange: Exchange): void {
  const response = resolved("/components/responses/AnyProblem")
  assertHeaders(exchange, response.found)
  if (exchange.method === "HEAD") return
  assertBody(exchange, response)
  const { code } = JSON.parse(exchange.text) as { readonly code: keyof typeof statuses }
  assert.equal(exchange.status, statuses[code], named(exchange))
}

/** Every header of ours that came is in the contract, and every one that must come came. */
function assertHeaders({ headers, ...exchange }: Exchange, response: Json): void {
  const declared = new Map(
    Object.entries((response["headers"] ?? {}) as Readonly<Record<string, Json>>).map(
      ([name, { $ref }]) => [name.toLowerCase(), String($ref).slice(1)],
    ),
  )
  for (const name of headers.keys()) {
    const isOurs = /^(?:countersign-|ratelimit|retry-after$|www-authenticate$|allow$)/.test(name)
    if (isOurs) assert.ok(declared.has(name), `${named(exchange)}: the header ${name}`)
  }
  for (const [name, pointer] of declared) {
    const value = headers.get(name)
    const isMissing = value === undefined && resolved(pointer).found["required"] === true
    assert.ok(!isMissing, `${named(exchange)}: needs the header ${name}`)
    if (value !== undefined) assertFits(`${pointer}/schema`, value, `${named(exchange)}: ${name}`)
  }
}

function assertBody(exchange: Exchange, { pointer, found }: Found): void {
  const [type = ""] = (exchange.headers.get("content-type") ?? "").split(";")
  const content = (found["content"] ?? {}) as Json
  assert.ok(type in content, `${named(exchange)}: ${type}`)
  if (type !== "application/json") return
  const at = `${pointer}/content/${escaped(type)}/schema`
  const value: unknown = JSON.parse(exchange.text)
  assertFits(exchange.status < 400 ? at : problemAt(at, value, exchange), value, named(exchange))
}

/** The schema of the code that an answer has, out of those that the response may have. */
function problemAt(at: string, value: unknown, exchange: Exchange): string {
  const { code } = value as { readonly code: unknown } // of an envelope
  const { pointer, found } = resolved(at)
  const some = (found["anyOf"] ?? found["oneOf"]) as
    readonly { readonly $ref: string }[] | undefined
  const pointers = some?.map(({ $ref }) => $ref.slice(1)) ?? [pointer]
  const own = pointers.find((each) => codeAt(each) === code)
  assert.ok(own !== undefined, `${named(exchange)}: the contract has no ${String(code)} here`)
  return own
}

/** The code of an error's schema; what the venue says has none. */
function codeAt(pointer: string): unknown {
  const { code } = resolved(pointer).found["properties"] as Readonly<Record<string, Json>>
  return code?.["const"]
}

/** Whether what was asked was right: checks and batches answer 200 where it wasn't, too. */
function isTaken({ status, path, text }: Exchange): boolean {
  if (status >= 300) return false
  if (!path.startsWith("/check/") && path !== "/sign/batch") return true
  const { data } = JSON.parse(text) as {
    readonly data: {
      readonly would_sign?: boolean
      readonly results?: readonly { readonly status: number }[]
    }
  }
  return data.would_sign ?? data.results?.every((result) => result.status === 200) ?? false
}

/** What was taken is what the contract asks for. */
function assertAsked({ asked, ...exchange }: Exchange, { pointer, found }: Found): void {
  if (asked === undefined) return
  const references = (found["parameters"] ?? []) as readonly { readonly $ref: string }[]
  for (const { $ref } of references) {
    const { in: place, name, schema } = resolved($ref.slice(1)).found
    const value = place === "header" ? asked.headers.get(String(name).toLowerCase()) : undefined
    if (value === undefined) continue
    const isNumber = (schema as Json)["type"] === "integer"
    assertFits(`${$ref.slice(1)}/schema`, isNumber ? Number(value) : value, String(name))
  }
  if (!("requestBody" in found)) return
  const at = `${pointer}/requestBody/content/application~1json/schema`
  assertFits(at, JSON.parse(asked.body), `${named(exchange)}, as it was asked`)
}

function assertFits(pointer: string, value: unknown, what: string): void {
  const check = checks.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer}` })
  checks.set(pointer, check)
  const isFit = check(value)
  const why = ajv.errorsText(check.errors).slice(0, 500)
  assert.ok(isFit, `${what} isn't as docs/openapi.json says: ${why}`)
}

/** What stands at a pointer, or where it refers to. */
function resolved(pointer: string): Found {
  const found = pointer
    .split("/")
    .slice(1)
    .reduce<Json>((at, step) => at[unescaped(step)] as Json, contract)
  const { $ref } = found
  return typeof $ref === "string" ? resolved($ref.slice(1)) : { pointer, found }
}

function escaped(step: string): string {
  return step.replaceAll("~", "~0").replaceAll("/", "~1")
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~")
}

function named({ method, path, status }: Pick<Exchange, "method" | "path" | "status">): string {
  return `${method} ${path}, ${status}`
}
