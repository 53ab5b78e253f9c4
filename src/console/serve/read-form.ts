import type { IncomingMessage } from "node:http"

import type * as z from "zod"

import { err, ok, type Result } from "../../std/result.ts"
import { refused, type Refused } from "./reply.ts"

/** A reason of 200 characters is the longest that the page sends. */
const maxBodyBytes = 2_048

/** Reads what the page sends as JSON. */
export async function readForm<Form>(
  request: IncomingMessage,
  schema: z.ZodType<Form>,
): Promise<Result<Form, Refused>> {
  // A page of another origin can't send this type without asking first.
  if (request.headers["content-type"] !== "application/json") {
    return err(refused(415, "Send Content-Type: application/json."))
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) return err(refused(413, `Send at most ${maxBodyBytes} bytes.`))
    chunks.push(chunk)
  }
  const form = schema.safeParse(jsonOf(Buffer.concat(chunks)))
  return form.success
    ? ok(form.data)
    : err(refused(400, "The page sent something else than it should."))
}

/** `undefined` for what is no JSON, which no schema takes. */
function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}
