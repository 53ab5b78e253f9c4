// Every schema of the document by its name: those that the code validates with, or has its types from.

import * as z from "zod"

import { batchResultSchema, refusedEnvelope } from "../../src/gate/sign/sign.ts"
import {
  begunReadingSchema,
  budgetViewSchema,
  checkAnswerSchema,
  guardUseSchema,
  keyViewSchema,
  limitUseSchema,
  limitViewSchema,
  priceViewSchema,
  recordViewSchema,
  verdictSchema,
  whoamiSchema,
} from "../../src/contract/bot-views.ts"
import { denialSchema, refusalSchema } from "../../src/contract/refusal.ts"
import { openSigningSchema } from "../../src/contract/signing.ts"
import { freezeViewSchema } from "../../src/link/calls/both-ways.ts"
import { heartbeatViewSchema } from "../../src/contract/stop-views.ts"
import { accountBody, beginBody } from "../../src/vault/operator/account-methods.ts"
import { pricesBody } from "../../src/vault/operator/price-methods.ts"
import { batchBody, batchRequest } from "../../src/vault/request/sign-batch.ts"
import { freezeBody } from "../../src/vault/stops/freeze-methods.ts"
import { bodySchemas } from "./body-schemas.ts"
import { errorEnvelopes, errorOverrides, problem } from "./error-schemas.ts"
import { namedSchemas, refTo, type Json } from "./json-schema.ts"

/** The document's schemas by name. */
export function contractSchemas(): Readonly<Record<string, Json>> {
  const named = namedSchemas({ ...taken, ...answered, ...errorEnvelopes() }, [
    ...errorOverrides,
    { of: refusedEnvelope, with: refTo("Problem") },
  ])
  return { ...bodySchemas, ...bodiesOfBatches(named), ...spoken, Problem: problem }
}

/** Bodies that are ours alone. */
const taken = {
  FreezeRequest: freezeBody,
  HeartbeatRequest: z.strictObject({}),
  PricesRequest: pricesBody,
  BeginReadingRequest: beginBody,
  ReadingRequest: accountBody,
  BatchRequests: batchBody,
  BatchRequest: batchRequest,
}

/** The `data` of what we answer. */
const answered = {
  Refusal: refusalSchema,
  Denial: denialSchema,
  Verdict: verdictSchema,
  LimitView: limitViewSchema,
  CheckReport: checkAnswerSchema,
  BatchResult: batchResultSchema,
  BatchResults: z.strictObject({ results: z.array(batchResultSchema) }),
  FreezeView: freezeViewSchema,
  HeartbeatView: heartbeatViewSchema,
  PriceView: priceViewSchema,
  Prices: z.strictObject({ prices: z.array(priceViewSchema) }),
  BegunReading: begunReadingSchema,
  Nothing: z.strictObject({}),
  KeyView: keyViewSchema,
  Whoami: whoamiSchema,
  LimitUse: limitUseSchema,
  GuardUse: guardUseSchema,
  BudgetView: budgetViewSchema,
  Limits: z.strictObject({
    limits: z.array(limitUseSchema),
    guards: z.array(guardUseSchema),
    budgets: z.array(budgetViewSchema),
  }),
  RecordView: recordViewSchema,
  Records: z.strictObject({ records: z.array(recordViewSchema) }),
  State: z.strictObject({ state: z.string() }),
  Signing: openSigningSchema,
}

const text: Json = { type: "string" }
const bytes32: Json = { type: "string", pattern: "^0x[0-9a-f]{64}$" }

/** What is signed, and what the venue says. */
const spoken: Readonly<Record<string, Json>> = {
  SignedBody: {
    type: "object",
    properties: {
      signer_address: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
      target_address: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
      nonce: { type: "integer" },
      expires_after: { type: "integer", description: "Milliseconds since 1970." },
      signature: {
        type: "object",
        properties: { r: bytes32, s: bytes32, v: { type: "integer", enum: [27, 28] } },
        required: ["r", "s", "v"],
        additionalProperties: false,
      },
    },
    required: ["signer_address", "nonce", "expires_after", "signature"],
    additionalProperties: true,
    description: "The business fields as they were sent, with what the daemon filled in.",
  },
  VenueAnswer: venueAnswer({}),
  PlaceOrderAnswer: venueAnswer({
    tx_hash: text,
    order_id: text,
    client_order_id: { type: ["string", "null"] },
    state: text,
  }),
  ReadAnswer: venueAnswer({
    list: { type: "array", items: {} },
    next_cursor: { type: ["string", "null"] },
    has_more: { type: "boolean" },
  }),
}

/** The venue's envelope. `properties` of `data` are there on success; an error may have any status, 200 too. */
function venueAnswer(properties: Readonly<Record<string, Json>>): Json {
  return {
    type: "object",
    properties: {
      code: { type: "string", description: '"0" on success, and only then.' },
      msg: text,
      data: {
        type: "object",
        properties,
        additionalProperties: true,
        description: "On success all of what is named; on errors whatever tells more of them.",
      },
      trace_code: text,
    },
    required: ["code", "msg", "data", "trace_code"],
    additionalProperties: true,
    description: "The venue's own words, as they came; see `Countersign-Source`.",
  }
}

/** What zod checks of a batch one by one stands in its list here. */
function bodiesOfBatches(named: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const { BatchRequests: batch, ...others } = named
  const { requests } = batch?.["properties"] as Readonly<Record<string, Json>>
  const properties = { requests: { ...requests, items: refTo("BatchRequest") } }
  return { ...others, BatchRequests: { ...batch, properties } }
}
