import * as z from "zod"

/** JSON Schema, draft 2020-12: what OpenAPI 3.1 speaks. */
export type Json = Readonly<Record<string, unknown>>

/** Where a schema of the document stands. */
export function refTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

/** A schema that stands for one, or for one of several. */
export function oneOf(schemas: readonly Json[]): Json {
  const [only, ...more] = schemas
  return only !== undefined && more.length === 0 ? only : { oneOf: schemas }
}

export type Override = { readonly of: z.ZodType; readonly with: Json }

/**
 * Writes schemas of zod's under their names. Where one of them is part of another, it is referred to.
 * `overrides` take the place of what zod can't tell.
 */
export function namedSchemas(
  named: Readonly<Record<string, z.ZodType>>,
  overrides: readonly Override[] = [],
): Readonly<Record<string, Json>> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => String(refTo(id)["$ref"]),
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const other = overrides.find((override) => override.of._zod === zodSchema._zod)
      if (other !== undefined) replace(jsonSchema, other.with)
    },
  })
  return Object.fromEntries(Object.entries(schemas).map(([id, json]) => [id, tidy(json)]))
}

function replace(json: Record<string, unknown>, by: Json): void {
  for (const name of Object.keys(json)) Reflect.deleteProperty(json, name)
  Object.assign(json, by)
}

/** Writes one schema of zod's. */
export function schemaOf(schema: z.ZodType): Json {
  return tidy(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }))
}

const noise = new Set(["$schema", "$id", "readOnly"])

/** Leaves out what says nothing here, and writes "this or null" in one type where it can. */
function tidy(json: object): Json {
  const kept = Object.entries(json).filter(
    ([name, value]) => !noise.has(name) && !isSafeBound(value),
  )
  return nullableInOne(Object.fromEntries(kept.map(([name, value]) => [name, tidyValue(value)])))
}

function tidyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyValue)
  return typeof value === "object" && value !== null ? tidy(value) : value
}

/** Every integer here is a safe one. */
function isSafeBound(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) === Number.MAX_SAFE_INTEGER
}

function nullableInOne(json: Json): Json {
  const { anyOf, ...rest } = json
  const [value, none, ...more] = (anyOf ?? []) as readonly Json[]
  const isNullable = none?.["type"] === "null" && more.length === 0
  if (!isNullable || value === undefined || !isPlain(value)) return json
  return { ...value, ...rest, type: [value["type"], "null"] }
}

function isPlain(json: Json): boolean {
  return typeof json["type"] === "string" && !("enum" in json)
}
