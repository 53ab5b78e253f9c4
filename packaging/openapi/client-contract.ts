import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript"

import { readRepositoryFile } from "../../test/support/markdown.ts"

type Operation = {
  readonly requestBody: { readonly content: { readonly "application/json": { schema: object } } }
}
type Contract = {
  readonly openapi: string
  readonly info: object
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const head = `/** The schemas of docs/openapi.json; \`WriteBodies\` has the body that each of the venue's paths takes. */
`

/** The text of dist/client/contract.d.ts: what docs/openapi.json says, as types. */
export async function clientContract(): Promise<string> {
  const { openapi, info, paths, components } = JSON.parse(
    readRepositoryFile("docs/openapi.json"),
    withoutExamples,
  ) as Contract
  const bodies = Object.entries(paths).flatMap(([path, { post }]) =>
    post !== undefined && path.startsWith("/v1/")
      ? [[path, post.requestBody.content["application/json"].schema] as const]
      : [],
  )
  const WriteBodies = {
    type: "object",
    required: bodies.map(([path]) => path),
    properties: Object.fromEntries(bodies),
  }
  const schemas = { ...components.schemas, WriteBodies }
  const document = { openapi, info, paths: {}, components: { schemas } }
  const types = await openapiTypes(document as OpenAPI3, { immutable: true })
  const text = astToString(types)
  const start = text.indexOf("export interface components")
  return head + text.slice(start, text.indexOf("export type $defs"))
}

function withoutExamples(key: string, value: unknown): unknown {
  return key === "example" || key === "examples" ? undefined : value
}
