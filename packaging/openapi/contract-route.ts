import type { ErrorCode } from "../../src/gate/http/problem.ts"
import type { Json } from "./json-schema.ts"
import { shownAnswer } from "./shown.ts"

export type ContractRoute = {
  readonly method: "get" | "post"
  readonly path: string
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Names of the document's parameters. */
  readonly parameters: readonly string[]
  readonly body?: { readonly schema: Json; readonly example: unknown }
  readonly answer: ContractAnswer
  readonly errors: readonly ErrorCode[]
  readonly needsToken: boolean
}

export type ContractAnswer = {
  readonly description: string
  readonly type: string
  readonly schema: Json
  readonly example?: unknown
  /** Schemas of what else may come, by content type. */
  readonly others?: Readonly<Record<string, Json>>
  /** Names of the document's headers, besides `Countersign-Source`. */
  readonly headers: readonly string[]
  /** The venue speaks, with any status. */
  readonly isVenue: boolean
}

/** An answer in JSON by the daemon. */
export function jsonAnswer(description: string, schema: Json, example: unknown): ContractAnswer {
  return { description, type: "application/json", schema, example, headers: [], isVenue: false }
}

/** A success envelope around `data`, with the example that docs/http-api/ shows under `heading`. */
export function successAnswer(description: string, data: Json, heading: string): ContractAnswer {
  return jsonAnswer(description, envelopeSchema(data), shownAnswer(heading))
}

/** What a success looks like. */
export function envelope(data: object): object {
  return { code: "0", msg: "", data, trace_code: "" }
}

function envelopeSchema(data: Json): Json {
  return {
    type: "object",
    properties: {
      code: { type: "string", const: "0" },
      msg: { type: "string", const: "" },
      data,
      trace_code: { type: "string", const: "" },
    },
    required: ["code", "msg", "data", "trace_code"],
    additionalProperties: false,
  }
}
