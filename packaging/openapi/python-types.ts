export type Schema = {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly const?: string
  readonly enum?: readonly (string | number)[]
  readonly type?: string | readonly string[]
  readonly pattern?: string
  readonly description?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema | false>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

export type Schemas = Readonly<Record<string, Schema>>

const plainTypes: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  boolean: "bool",
  null: "None",
}

/** Words of Python that can't name a field of a class. */
const keywords: ReadonlySet<string> = new Set(["for", "from", "is", "in", "not", "class", "global"])

const lineWidth = 100

/** Makes Python of schemas: a TypedDict of an object, an alias of anything else, each before what names it. */
export class PythonTypes {
  readonly #schemas: Schemas
  readonly #texts: string[] = []
  readonly #known = new Set<string>()
  /** What objects are called, by their structure. */
  readonly #dicts = new Map<string, string>()

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  get text(): string {
    return this.#texts.join("\n\n")
  }

  /** Defines the schema of this name, once, and returns the name. */
  define(name: string, schema = this.#schemas[name]): string {
    if (this.#known.has(name)) return name
    if (schema === undefined) throw new Error(`there is no schema ${name}`)
    this.#known.add(name)
    const isNew = isClosed(schema) && !this.#dicts.has(structureOf(schema))
    if (isNew) this.#defineDict(name, schema)
    else this.#texts.push(`${commentOf(schema, "")}${name} = ${this.#typeOf(schema, name)}\n`)
    return name
  }

  /** The type of a value; `name` is for what is in it. */
  #typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return this.define(schema.$ref.split("/").at(-1) ?? "")
    const arms = schema.anyOf ?? schema.oneOf
    if (arms !== undefined) return this.#unionOf(arms, name)
    const values = schema.const === undefined ? schema.enum : [schema.const]
    if (values !== undefined) return listed("Literal", values.map(pythonOf))
    if (typeof schema.type !== "object") return this.#typeOfOne(schema, name)
    return unionOf(schema.type.map((type) => this.#typeOf({ ...schema, type }, name)))
  }

  /** The first arm's descriptions are for all. */
  #unionOf(arms: readonly Schema[], name: string): string {
    const types = arms.map((arm, index) => {
      const said = index === 0 ? arm : (JSON.parse(structureOf(arm)) as Schema)
      return this.#typeOf(said, armName(name, arm))
    })
    return unionOf(types)
  }

  #typeOfOne(schema: Schema, name: string): string {
    if (schema.type === undefined) return "Any"
    if (schema.type === "array") return `Sequence[${this.#typeOf(schema.items ?? {}, name)}]`
    if (schema.type === "object")
      return isClosed(schema) ? this.#inlineDict(name, schema) : openDict
    if (isMoney(schema)) return "Money"
    const type = plainTypes[schema.type as string]
    if (type === undefined) throw new Error(`${name} has a type that Python's client doesn't know`)
    return type
  }

  #inlineDict(name: string, schema: Schema): string {
    const known = this.#dicts.get(structureOf(schema))
    return known ?? this.define(isEmpty(schema) ? "Nothing" : name, schema)
  }

  #defineDict(name: string, schema: Schema): void {
    this.#dicts.set(structureOf(schema), name)
    const { properties = {}, required = [] } = schema
    const fields = Object.entries(properties).map(([field, of]) => ({
      field,
      of: of as Schema,
      isAlways: required.includes(field),
      type: this.#typeOf(of as Schema, name + pascal(field)),
    }))
    if (fields.some(({ field }) => keywords.has(field))) this.#texts.push(callText(name, fields))
    else this.#defineClasses(name, { fields, schema })
  }

  #defineClasses(name: string, { fields, schema = {} }: Dict): void {
    const always = fields.filter(({ isAlways }) => isAlways)
    const sometimes = fields.filter(({ isAlways }) => !isAlways)
    const isMixed = always.length > 0 && sometimes.length > 0
    // Python 3.9 has no word for a field that may be missing: those that are always there have a class of their own.
    if (isMixed) this.#texts.push(classText(`_${name}`, "TypedDict", { fields: always }))
    const base = isMixed ? `_${name}` : "TypedDict"
    const total = sometimes.length > 0 ? ", total=False" : ""
    this.#texts.push(
      classText(name, base + total, { fields: isMixed ? sometimes : fields, schema }),
    )
  }
}

/** An object that may have more than is known of it. */
const openDict = "Mapping[str, Any]"

function isClosed({ type, required = [], additionalProperties }: Schema): boolean {
  return type === "object" && (additionalProperties !== true || required.length > 0)
}

/** Amounts that a caller gives; those that it is given are strings. */
function isMoney({ pattern, description = "" }: Schema): boolean {
  return pattern !== undefined && description.startsWith("A decimal")
}

type Field = {
  readonly field: string
  readonly of: Schema
  readonly isAlways: boolean
  readonly type: string
}
type Dict = { readonly fields: readonly Field[]; readonly schema?: Schema }

function callText(name: string, fields: readonly Field[]): string {
  const members = fields.map(({ field, type }) => `"${field}": ${type}`)
  return `${name} = TypedDict(\n    "${name}",\n    ${dictOf(members)},\n)\n`
}

function classText(name: string, base: string, { fields, schema = {} }: Dict): string {
  const { description } = schema
  const doc = description === undefined ? [] : [`    """${wrap(description, "    ", 6)}"""\n`]
  const lines = fields.map(
    ({ field, of, type }) => `${commentOf(of, "    ")}    ${field}: ${indented(type)}`,
  )
  const body = [...doc, ...lines]
  return `class ${name}(${base}):\n${body.length === 0 ? "    pass" : body.join("\n")}\n`
}

function commentOf({ description }: Schema, indent: string): string {
  return description === undefined ? "" : `${indent}# ${wrap(description, `${indent}# `, 0)}\n`
}

/** Breaks a text's lines; those after the first have the indent. */
function wrap(text: string, indent: string, more: number): string {
  const lines: string[] = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    if (indent.length + line.length + 1 + word.length + more > lineWidth) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.join(`\n${indent}`)
}

function unionOf(types: readonly string[]): string {
  const some = [...new Set(types.filter((type) => type !== "None"))]
  const union = some.length === 1 ? (some[0] ?? "") : listed("Union", some)
  return types.includes("None") ? `Optional[${union}]` : union
}

/** `Word[a, b]`, on many lines where one would be long. */
function listed(word: string, types: readonly string[]): string {
  const line = `${word}[${types.join(", ")}]`
  if (line.length < 70) return line
  return `${word}[\n${types.map((type) => `    ${type},\n`).join("")}]`
}

function indented(lines: string): string {
  return lines.replaceAll("\n", "\n    ")
}

function dictOf(members: readonly string[]): string {
  return `{\n${members.map((member) => `        ${member},\n`).join("")}    }`
}

export function pythonOf(value: string | number): string {
  return JSON.stringify(value)
}

/** One arm of a union is named for the word that tells it from the others, or for its first field. */
function armName(name: string, { properties = {} }: Schema): string {
  const [field = "nothing"] = Object.keys(properties)
  const of = properties[field]
  const word = of === undefined || of === false ? undefined : (of.const ?? of.enum?.[0])
  return name + pascal(String(word ?? field))
}

function pascal(words: string): string {
  return words.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

export function isEmpty({ type, properties = {} }: Schema): boolean {
  return type === "object" && Object.keys(properties).length === 0
}

function structureOf(schema: Schema): string {
  return JSON.stringify(schema, withoutDescription)
}

function withoutDescription(key: string, value: unknown): unknown {
  return key === "description" ? undefined : value
}
