import { version } from "../../src/std/version.ts"
import type { ContractRoute } from "./contract-route.ts"
import { headers, headersOf, parameters } from "./headers.ts"
import { refTo, type Json } from "./json-schema.ts"
import { problemResponses, problemsOf } from "./problem-responses.ts"
import { contractRoutes } from "./routes.ts"
import { contractSchemas } from "./schemas.ts"

/** The gate's interface as an OpenAPI 3.1 document: what docs/openapi.json holds, and the gate serves. */
export function openApiDocument(): Json {
  const routes = contractRoutes()
  return {
    openapi: "3.1.0",
    info: {
      title: "Countersign",
      version,
      description:
        "A signing daemon for trading bots. docs/http-api/ says all of this in words. Each error that is the daemon's own has a word for `code`: act on `code` and `data`.",
      contact: { name: "The operator of this installation" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      { url: "http://127.0.0.1:8420", description: "Where it listens unless told otherwise." },
    ],
    security: [{ token: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes),
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "The token that `countersign clients add` printed, `cs_…`.",
        },
      },
      parameters,
      headers,
      responses: problemResponses(routes),
      schemas: contractSchemas(),
    },
  }
}

const tags = {
  forward: "Sign, and send to the venue.",
  sign: "Sign, and send it yourself.",
  batch: "Sign many at once.",
  check: "Ask whether it would be signed.",
  reads: "Read from the venue, within its budgets.",
  rights: "For clients that were added with the right.",
  ask: "What a client may do, and has done.",
  open: "Without a token.",
}

function pathsOf(routes: readonly ContractRoute[]): Json {
  return Object.fromEntries(
    routes.map((route) => [route.path, { [route.method]: operationOf(route) }]),
  )
}

function operationOf(route: ContractRoute): Json {
  const { id, tag, summary, description, body, needsToken } = route
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(needsToken ? {} : { security: [] }),
    parameters: route.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { "application/json": { schema: body.schema, example: body.example } },
      },
    }),
    responses: { ...answersOf(route), ...problemsOf(route) },
  }
}

function answersOf({ answer }: ContractRoute): Json {
  const { description, type, schema, example, others = {}, isVenue } = answer
  const said = {
    description,
    headers: headersOf([isVenue ? "AnySource" : "DaemonSource", ...answer.headers]),
    content: { [type]: { schema, example }, ...contentOf(others) },
  }
  if (!isVenue) return { "200": said, default: anyProblem }
  const other = { ...said, content: { [type]: { schema: refTo("VenueAnswer") } } }
  return { "200": said, default: other }
}

function contentOf(schemas: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]))
}

/** Another method, a path that isn't served: what no call as described here meets. */
const anyProblem = { $ref: "#/components/responses/AnyProblem" }
