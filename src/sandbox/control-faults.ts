import { ok, type Result } from "../std/result.ts"
import { failure, readBody, success, type Reply, type VenueRequest } from "./answer-request.ts"
import type { FaultBox } from "./fault-box.ts"
import { reject, type Rejection } from "./state/error-codes.ts"
import { parseFault } from "./venue-fault.ts"

/** The sandbox's own, and no venue's: what makes it fail on demand. It weighs nothing and meets no fault. */
export const controlPath = "/__sandbox/fault"

/** POST adds a fault, GET lists those that wait, DELETE takes all away. Each answers with the list. */
export function controlFaults(request: VenueRequest, faults: FaultBox, traceCode: string): Reply {
  const done = control(request, faults)
  if (!done.ok) return failure(done.error, traceCode)
  const list = faults.list()
  return success({ data: { list }, note: `${list.length} faults wait` })
}

function control(request: VenueRequest, faults: FaultBox): Result<undefined, Rejection> {
  const { method } = request
  if (method === "GET") return ok(undefined)
  if (method === "DELETE") {
    faults.clear()
    return ok(undefined)
  }
  if (method !== "POST") {
    return reject("method_not_allowed", "This path takes GET, POST and DELETE.")
  }
  // The content type that is asked for here keeps out web pages, which can't send it unasked.
  const body = readBody(request)
  if (!body.ok) return body
  const fault = parseFault(body.value)
  if (!fault.ok) return reject("invalid_field", fault.error)
  faults.add(fault.value)
  return ok(undefined)
}
