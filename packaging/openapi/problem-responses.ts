// How calls are refused: one response for each status, with every code that it can mean there.

import { actOf, statuses, type ErrorCode } from "../../src/gate/http/problem.ts"
import type { ContractRoute } from "./contract-route.ts"
import { errorExamples } from "./error-examples.ts"
import { nameOfCode } from "./error-schemas.ts"
import { headersOf, rateLimits } from "./headers.ts"
import { refTo, type Json } from "./json-schema.ts"

type Problems = {
  readonly status: number
  readonly codes: readonly ErrorCode[]
  /** Whose responses it is one of: a tag's, or a route's own. */
  readonly tag: string
  /** The venue may answer the same status. */
  readonly isVenue: boolean
}

/** References to the responses of a route, by status. */
export function problemsOf(route: ContractRoute): Json {
  return Object.fromEntries(
    problemsByStatus(route).map((problems) => [
      String(problems.status),
      { $ref: `#/components/responses/${nameOf(problems)}` },
    ]),
  )
}

/** The responses that the routes refer to. */
export function problemResponses(routes: readonly ContractRoute[]): Json {
  const all = routes.flatMap(problemsByStatus)
  return {
    ...Object.fromEntries(all.map((problems) => [nameOf(problems), responseOf(problems)])),
    AnyProblem: {
      description: "Any of the daemon's errors.",
      headers: headersOf([
        "DaemonSource",
        "CountersignRecord",
        "RetryAfter",
        "WwwAuthenticate",
        "Allow",
      ]),
      content: { "application/json": { schema: refTo("Problem") } },
    },
  }
}

function problemsByStatus({ errors, id, tag, answer }: ContractRoute): readonly Problems[] {
  const { isVenue } = answer
  const named = errors.includes("not_signing") ? id : tag // no other route without a token has that one
  return [...new Set(errors.map((code) => statuses[code]))]
    .sort((a, b) => a - b)
    .map((status) => {
      const codes = errors.filter((code) => statuses[code] === status)
      return { status, codes, tag: named, isVenue }
    })
}

/** Tags of what takes of the rate budgets, so that its answers tell how they stand. */
const spendingTags: readonly string[] = ["forward", "sign"]

/** Routes of one tag have the same codes of a status, so that one response serves them all. */
function nameOf({ status, codes, tag, isVenue }: Problems): string {
  const [code, ...more] = codes
  const isShared = more.length === 0 && !isVenue && !spendingTags.includes(tag)
  if (code !== undefined && isShared) return nameOfCode(code)
  return `${tag.charAt(0).toUpperCase()}${tag.slice(1)}${status}`
}

function responseOf(problems: Problems): Json {
  const { codes, isVenue } = problems
  const schemas = codes.map((code) => refTo(nameOfCode(code)))
  const spoken = isVenue ? [...schemas, refTo("VenueAnswer")] : schemas
  const named = codes.map((code) => `\`${code}\``).join(", ")
  return {
    description: isVenue ? `${named}; or the venue's own.` : `${named}.`,
    headers: headersOf(headersOfProblem(problems)),
    content: {
      "application/json": {
        schema: spoken.length === 1 ? spoken[0] : { anyOf: spoken },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  }
}

function headersOfProblem({ status, tag, isVenue }: Problems): readonly string[] {
  const isWaiting = isVenue || status === 429 || status === 503
  return [
    ...(isVenue ? ["AnySource", "CountersignRepeat"] : ["DaemonSource"]),
    "CountersignRecord",
    ...(isWaiting ? ["RetryAfter"] : []),
    ...(status === 401 ? ["WwwAuthenticate"] : []),
    ...(spendingTags.includes(tag) ? rateLimits : []),
  ]
}

function exampleOf(code: ErrorCode): object {
  const { msg, data = {}, trace_code = "" } = errorExamples[code]
  return { code, msg, data, do: actOf(code, data), trace_code }
}
