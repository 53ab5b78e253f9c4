import * as z from "zod"

import { policySchema } from "../src/vault/policy/file/policy-schema.ts"
import type { SymbolTable } from "../src/venue/profile.ts"

/**
 * The JSON Schema (draft 2020-12) of a policy file, for editors to complete and check by. A symbol is any
 * text there; what needs the symbol table, a zone or two keys compared is told when the file is loaded.
 */
export function policyJsonSchema(): object {
  return fromZod(policySchema(noSymbols))
}

type Json = Record<string, unknown>

const noSymbols: SymbolTable = { byId: new Map(), byName: new Map() }

function fromZod(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => tidy(jsonSchema),
  })
}

/**
 * Puts what is written in the place of what a transform takes (`written`, `options`), leaves out the keys
 * that are there only to say where they belong (`refused`), and writes the example as JSON Schema does.
 */
function tidy(json: Json): void {
  const { written, options, example, properties } = json
  if (written !== undefined) replaceType(json, written as Json)
  if (options !== undefined) replaceType(json, { anyOf: (options as z.ZodType[]).map(optionOf) })
  if (example !== undefined) json["examples"] = [example]
  Reflect.deleteProperty(json, "example")
  if (properties === undefined) return
  for (const [name, property] of Object.entries(properties as Record<string, Json>)) {
    if (property["refused"] === true) Reflect.deleteProperty(properties as Json, name)
  }
}

function optionOf(schema: z.ZodType): Json {
  const json = fromZod(schema)
  Reflect.deleteProperty(json, "$schema") // the whole schema has it
  return json
}

function replaceType(json: Json, type: Json): void {
  for (const name of Object.keys(json)) {
    if (!["description", "example", "examples"].includes(name)) Reflect.deleteProperty(json, name)
  }
  Object.assign(json, type)
}
