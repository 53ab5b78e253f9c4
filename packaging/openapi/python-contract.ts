import { readRepositoryFile } from "../../test/support/markdown.ts"
import { isEmpty, pythonOf, PythonTypes, type Schema, type Schemas } from "./python-types.ts"

type Contract = {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly operationId: string } }>>
  readonly components: { readonly schemas: Schemas }
}

const head = `"""What docs/openapi.json says, as types. Made by npm run openapi."""

from decimal import Decimal
from typing import Any, Dict, Literal, Mapping, Optional, Sequence, TypedDict, Union

# An amount, never a float.
Money = Union[str, Decimal]
`

/** The text of the Python client's contract.py: what docs/openapi.json says, as types. */
export function pythonContract(): string {
  const { paths, components } = JSON.parse(readRepositoryFile("docs/openapi.json")) as Contract
  const operations = Object.entries(paths).flatMap(([path, { post }]) =>
    post !== undefined && path.startsWith("/v1/") ? [[post.operationId, path] as const] : [],
  )
  const problems = Object.entries(components.schemas).filter(([, schema]) => isProblem(schema))
  const types = new PythonTypes({ ...components.schemas, Problem: anyProblem })
  types.define("Operation", {
    enum: operations.map(([id]) => id),
    description: "The venue's operations that write.",
  })
  types.define("WritePath", { enum: operations.map(([, path]) => path) })
  types.define("ErrorCode", {
    enum: problems.map(([, schema]) => constOf(schema, "code")),
    description: "The daemon's words for what is wrong; a number is the venue's word too.",
  })
  types.define("Act", {
    enum: [...new Set(problems.map(([, schema]) => constOf(schema, "do")))],
    description: "What to do about an error.",
  })
  for (const [name, { properties }] of problems) {
    const data = properties?.["data"] as Schema
    if (!isEmpty(data)) types.define(`${name}Data`, data)
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (schema.properties?.["trace_code"] === undefined) types.define(name)
  }
  return `${head}\n${types.text}\n\n${pathsOf(operations)}`
}

/** Any of the daemon's errors. */
const anyProblem: Schema = {
  type: "object",
  properties: {
    code: { $ref: "ErrorCode" },
    msg: { type: "string", description: "For people; it may change." },
    data: { type: "object", additionalProperties: true },
    do: { $ref: "Act" },
    trace_code: { type: "string", description: "The record's id, where there is one." },
  },
  required: ["code", "msg", "data", "do", "trace_code"],
  description: "Any of the daemon's errors.",
}

function isProblem({ properties = {} }: Schema): boolean {
  const { code, trace_code: trace } = properties
  return code !== undefined && code !== false && code.const !== undefined && trace !== undefined
}

function constOf({ properties = {} }: Schema, field: string): string {
  const of = properties[field]
  return (of === undefined || of === false ? undefined : of.const) ?? ""
}

function pathsOf(operations: readonly (readonly [string, string])[]): string {
  const lines = operations.map(([id, path]) => `    ${pythonOf(id)}: ${pythonOf(path)},\n`)
  return `PATH_OF: Dict[Operation, WritePath] = {\n${lines.join("")}}\n`
}
