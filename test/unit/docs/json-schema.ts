import assert from "node:assert/strict"

/** As much of JSON Schema as policy.schema.json and venue.schema.json use. */
export type JsonSchema = Readonly<Record<string, unknown>>

type Check = (value: unknown, asked: unknown, schema: JsonSchema) => readonly string[]

/** What of `value` the schema doesn't allow, each with its place. @throws for a keyword that isn't known here. */
export function schemaProblems(value: unknown, schema: JsonSchema): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, asked]) => {
    if (annotations.has(keyword)) return []
    const check = checks[keyword]
    assert.ok(check, `${keyword} is a keyword that this reader knows`)
    return check(value, asked, schema)
  })
}

const annotations = new Set(["$schema", "description", "examples", "default"])

const checks: Readonly<Record<string, Check>> = {
  type: (value, asked) => {
    const types = [asked].flat() as readonly string[]
    return types.some((type) => isOfType(value, type)) ? [] : [`: isn't ${types.join(" or ")}`]
  },
  enum: (value, asked) => ((asked as unknown[]).includes(value) ? [] : [": isn't a known word"]),
  const: (value, asked) => (value === asked ? [] : [`: isn't ${String(asked)}`]),
  pattern: (value, asked) =>
    typeof value !== "string" || new RegExp(asked as string, "u").test(value)
      ? []
      : [`: isn't like ${asked as string}`],
  minItems: (value, asked) =>
    !Array.isArray(value) || value.length >= (asked as number) ? [] : [": has too few items"],
  maxItems: (value, asked) =>
    !Array.isArray(value) || value.length <= (asked as number) ? [] : [": has too many items"],
  minLength: (value, asked) =>
    typeof value !== "string" || value.length >= (asked as number) ? [] : [": is too short"],
  minimum: (value, asked) =>
    typeof value !== "number" || value >= (asked as number) ? [] : [": is too small"],
  maximum: (value, asked) =>
    typeof value !== "number" || value <= (asked as number) ? [] : [": is too large"],
  propertyNames: (value, asked) =>
    Object.keys(isMap(value) ? value : {}).flatMap((name) =>
      below(name, schemaProblems(name, asked as JsonSchema)),
    ),
  anyOf: (value, asked) => {
    const tried = (asked as JsonSchema[]).map((option) => schemaProblems(value, option))
    return tried.some((problems) => problems.length === 0) ? [] : [": is none of its kinds"]
  },
  items: (value, asked) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => below(index, schemaProblems(item, asked as JsonSchema)))
      : [],
  required: (value, asked) =>
    (asked as string[])
      .filter((name) => isMap(value) && !(name in value))
      .map((name) => `: needs ${name}`),
  properties: (value, asked) =>
    Object.entries(asked as Readonly<Record<string, JsonSchema>>).flatMap(([name, schema]) =>
      isMap(value) && name in value ? below(name, schemaProblems(value[name], schema)) : [],
    ),
  additionalProperties: (value, asked, { properties = {} }) =>
    Object.entries(isMap(value) ? value : {})
      .filter(([name]) => !(name in (properties as object)))
      .flatMap(([name, each]) =>
        asked === false
          ? [`/${name}: is unknown`]
          : below(name, schemaProblems(each, asked as JsonSchema)),
      ),
}

function below(step: string | number, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `/${step}${problem}`)
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isMap(value)
    case "array":
      return Array.isArray(value)
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
