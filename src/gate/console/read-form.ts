import type { IncomingMessage } from "node:http"

import type { z } from "zod"

import { err, ok, type Result } from "../../std/result.ts"
import { admitLength, admitMedia, bodyTooLarge } from "../admit.ts"
import type { GateLimits } from "../gate-limits.ts"
import type { Problem } from "../problem.ts"
import { readBody } from "../read-body.ts"

/** What a call of the page has to send. */
export type Form<Body> = {
  readonly schema: z.ZodType<Body>
  /** Said where something else came. */
  readonly advice: string
}

/** Reads what the page sends as JSON. `gone`: nobody waits for an answer. */
export async function readForm<Body>(
  request: IncomingMessage,
  { schema, advice }: Form<Body>,
  { maxBodyBytes }: GateLimits,
): Promise<Result<Body, Problem | "gone">> {
  const problem = admitMedia(request) ?? admitLength(request, maxBodyBytes)
  if (problem !== undefined) return err(problem)
  const body = await readBody(request, maxBodyBytes)
  if (body === "too_large") return err(bodyTooLarge(maxBodyBytes))
  if (body === "gone") return err(body)
  const form = schema.safeParse(jsonOf(body))
  return form.success ? ok(form.data) : err({ code: "invalid_request", message: advice })
}

/** `undefined` for what is no JSON, which no schema takes. */
function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}
