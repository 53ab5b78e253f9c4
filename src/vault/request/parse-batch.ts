import * as z from "zod"

import { botParams } from "../../link/calls/methods.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { pointerTo, type JsonValue, maxJsonDepth } from "../../venue/json.ts"
import { type SignCall, parseBody } from "./parse-request.ts"
import { invalidRequest } from "./refuse.ts"

/** The most requests of one batch. */
export const maxBatchRequests = 100

/** The batch, its list and a request stand above a body, which may be as deep as one that comes alone. */
const maxBatchDepth = maxJsonDepth + 3

const anyJson = z.custom<JsonValue>((value) => value !== undefined)
/** The body of `POST /sign/batch`. */
export const batchBody = z.strictObject({ requests: z.array(anyJson).min(1).max(maxBatchRequests) })

/** Parses the bytes of a batch, once: its bodies are never text again. What a request holds is its own matter. */
export function parseBatch(bytes: Uint8Array): Result<readonly JsonValue[], Refusal> {
  const json = parseBody(bytes, maxBatchDepth)
  if (!json.ok) return json
  const read = batchBody.safeParse(json.value)
  if (read.success) return ok(read.data.requests)
  const message = `the body must be {"requests": […]}, 1 to ${maxBatchRequests} of them`
  return err(invalidRequest([{ path: "", rule: "batch", message }]))
}

const { path, key, idempotencyKey } = botParams.sign.shape
/** A request of a batch. */
export const batchRequest = z.strictObject({
  path,
  body: anyJson,
  key,
  expires_in: z.int().optional(),
  idempotency_key: idempotencyKey,
})

/** Parses the request at `index` of a batch as the call that it stands for. */
export function parseBatchRequest(
  value: JsonValue,
  { index, token }: { readonly index: number; readonly token: string },
): Result<SignCall, Refusal> {
  const read = batchRequest.safeParse(value)
  if (!read.success) return err(invalidBatchRequest(index, read.error))
  const { body, expires_in: expiresIn, idempotency_key: known, ...named } = read.data
  return ok({
    ...named,
    token,
    body: { parsed: body },
    expiresIn: expiresIn === undefined ? undefined : String(expiresIn),
    idempotencyKey: known,
    purpose: "return",
  })
}

function invalidBatchRequest(index: number, { issues: [issue] }: z.ZodError): Refusal {
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : []
  const steps = ["requests", index, ...(issue?.path ?? []), ...unknown]
  return invalidRequest([
    {
      path: steps.reduce<string>((pointer, step) => pointerTo(pointer, String(step)), ""),
      rule: "batch_request",
      message:
        'a request must be {"path", "body"}; it may have key (at most 64 characters), expires_in (whole milliseconds) and idempotency_key (1 to 64 visible characters of ASCII, without spaces)',
    },
  ])
}
