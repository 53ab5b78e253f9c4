import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { errorCodes, statuses } from "../../../src/gate/http/problem.ts"
import { gateLimits } from "../../../src/gate/process/gate-limits.ts"
import { maxBatchRequests } from "../../../src/vault/request/sign-batch.ts"
import {
  fieldRules,
  orderFields,
  type BodyField,
  type FieldType,
} from "../../../src/venue/payload/payload.ts"
import { orderRules } from "../../../src/venue/payload/order-rules.ts"
import { builtinEndpoints } from "../../../src/venue/builtin-profile.ts"
import { maxBatchItems } from "../../../src/venue/payload/parse-payload.ts"
import { countersign } from "../../support/countersign.ts"
import {
  codesIn,
  fencedBlocks,
  readPagesOf,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"

const pages = readPagesOf("docs/http-api")

type Shown = {
  readonly code?: string
  readonly data?: { readonly errors?: readonly { readonly rule: string }[] }
}

describe("docs/http-api/", () => {
  it("lists every route of the gate, and no other", () => {
    const source = readRepositoryFile("src/gate/routes.ts")
    const routes = [...source.matchAll(/^ +(get|post)\(\s*"([^"]+)"/gm)].map(
      ([, method = "", path = ""]) => `${method.toUpperCase()} ${path}`,
    )
    const listed = tableRows(sectionOf(pages, "All calls")).flatMap(([call = ""]) => codesIn(call))
    assert.ok(routes.length > 0)
    assert.deepEqual([...listed].sort(), [...routes].sort())
  })

  it("lists every path of the venue, with its weight and the line that venue.yaml lacks", () => {
    const expected = builtinEndpoints.map(({ path, id, signing, weight }) => [
      `\`${path}\``,
      `\`${id}\``,
      weight.perTenItems === 0 ? `${weight.base}` : "`1 + floor(items / 10)`",
      signing.known ? `nothing: type ${signing.value.type}` : `\`${signing.addLine}\``,
    ])
    assert.deepEqual(tableRows(sectionOf(pages, "The venue's paths")), expected)
  })

  it("lists every field of an order, whether it is required, and the words that it takes", () => {
    const listed = tableRows(sectionOf(pages, "The fields of an order")).flatMap(
      ([names = "", required = "", value = ""]) =>
        codesIn(names).map((name) => ({ name, required: required === "yes", value })),
    )
    const fields = orderFields.flatMap(withItsOwn)
    assert.deepEqual(
      listed.map(({ name }) => name).toSorted(),
      fields.map(({ name }) => name).toSorted(),
    )
    for (const { name, required, type } of fields) {
      const row = listed.find((each) => each.name === name)
      assert.equal(row?.required, required, name)
      if ("values" in type) assert.deepEqual(codesIn(row.value), type.values, name)
      else assert.ok(row.value.includes(saidOf[type.kind]), name)
      for (const bound of boundsOf(type)) assert.ok(row.value.includes(bound), name)
    }
  })

  it("shows answers that are JSON, with codes and rules that there are", () => {
    const rules: readonly string[] = [...fieldRules, ...orderRules]
    const answers = fencedBlocks(pages, "json").map((block) => JSON.parse(block) as Shown)
    assert.ok(answers.length > 5)
    for (const { code = "0", data } of answers) {
      assert.ok(/^\d+$/.test(code) || errorCodes.includes(code), code)
      for (const { rule } of data?.errors ?? []) assert.ok(rules.includes(rule), rule)
    }
  })

  it("names a status beside a code only where it is that code's", () => {
    const named = [...pages.matchAll(/`(\w+)` \((\d{3})\)|(\d{3}) `([a-z_]+)`/g)]
    const pairs = named
      .map(([, code, status, before, after]) => [code ?? after ?? "", status ?? before] as const)
      .filter(([code]) => errorCodes.includes(code))
    assert.ok(pairs.length > 5)
    const known: Readonly<Record<string, number>> = statuses
    for (const [code, status] of pairs) assert.equal(known[code], Number(status), code)
  })

  it("gives the weights that the interface has", () => {
    const text = sectionOf(pages, "Rate budgets").replaceAll(/\s+/g, " ")
    const [, said = ""] = /is the interface's: (.*?)\. The address/.exec(text) ?? []
    const nameOf = (path: string): string => `\`${path.split("/").at(-1)}\``
    const ofWeight = (area: string, base: number): string => {
      const found = builtinEndpoints.filter(
        ({ weight, ...endpoint }) =>
          endpoint.area === area && weight.base === base && weight.perTenItems === 0,
      )
      return found.map(({ path }) => nameOf(path)).join(" and ")
    }
    const { length: usual } = builtinEndpoints.filter(
      ({ area, weight }) => area === "account" && weight.base === 40,
    )
    assert.ok(usual > 5)
    assert.equal(
      said,
      `\`1 + floor(items / 10)\` of trade requests, where anything but a batch is one item, and 5 of ${ofWeight("trade", 5)}; ` +
        `40 of account operations, and 2 of ${ofWeight("account", 2)}`,
    )
    const flat = builtinEndpoints.filter(({ weight }) => weight.perTenItems === 0)
    const others = flat.filter(({ weight }) => ![2, 5, 40].includes(weight.base))
    assert.deepEqual(others, [])
  })

  it("names commands that there are", async () => {
    const named = [...pages.matchAll(/`countersign ((?:[a-z]+ ?)+)/g)].map(
      ([, words = ""]) => words,
    )
    assert.ok(named.length > 2)
    for (const words of named) {
      const { code, stderr } = await countersign([...words.trim().split(" "), "--help"])
      assert.equal(code, 0, `${words}: ${stderr}`)
    }
  })

  it("gives the bounds that the code has", () => {
    const bounds = sectionOf(pages, "Bounds")
    const { maxBodyBytes, maxHeaders, maxHeaderBytes, maxConnections } = gateLimits
    const { maxBatches } = gateLimits
    const http = [maxBodyBytes, maxHeaders, maxHeaderBytes, maxConnections, maxBatches]
    for (const bound of [...http, maxBatchItems, maxBatchRequests]) {
      assert.ok(bounds.includes(bound.toLocaleString("en-US")), `${bound}`)
    }
    assert.ok(bounds.includes(`${gateLimits.headersTimeoutMs / 1_000} s`))
    assert.ok(bounds.includes(`${gateLimits.requestTimeoutMs / 1_000} s`))
    assert.ok(bounds.includes(`${gateLimits.keepAliveMs / 1_000} s`))
    assert.equal(gateLimits.maxInFlight, maxConnections)
  })
})

/** A field, and under its name those of the object that it is. */
function withItsOwn({ name, required, type }: BodyField): readonly BodyField[] {
  const own = type.kind === "object" ? type.fields : []
  const named = own.map((field) => ({ ...field, name: `${name}.${field.name}` }))
  return [{ name, required, type }, ...named]
}

/** What a page says of a value that isn't one of a few words. */
const saidOf = {
  boolean: "true",
  id: "integer from 0",
  text: "text",
  decimal: "decimal",
  object: "object",
}

function boundsOf(type: FieldType): readonly string[] {
  if (type.kind === "text") return [`${type.minLength} to ${type.maxLength}`]
  if (type.kind === "object") return type.nullable ? ["null"] : []
  if (type.kind !== "decimal" || type.range === undefined) return []
  return [`from ${type.range.min} to ${type.range.max}`]
}
