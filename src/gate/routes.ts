import {
  check,
  feedPrices,
  findRecords,
  freeze,
  heartbeat,
  readiness,
  showLimits,
  showRecord,
  whoami,
} from "./bot-calls.ts"
import { callHeaders, idempotencyHeader, keyHeader, shadowHeader } from "./http/admit.ts"
import { contract } from "./http/contract.ts"
import { get, post, withBody, withCall, withToken, type RouteWithAnswer } from "./http/read-call.ts"
import { showMetrics } from "./metrics/exposition.ts"
import type { GateLimits } from "./process/gate-limits.ts"
import { venueReads } from "./reads/venue-reads.ts"
import { forwarder, type ForwardDependencies } from "./sign/forward.ts"
import { sign } from "./sign/sign.ts"
import { batchSigner } from "./sign/sign-batch.ts"
import type { OwnerOf } from "./http/shares.ts"

export type RouteDependencies = ForwardDependencies & {
  readonly limits: GateLimits
  readonly ownerOf: OwnerOf
}

/** Every route there is. */
export function routes(deps: RouteDependencies): readonly RouteWithAnswer[] {
  const signHeaders = [...callHeaders, idempotencyHeader]
  const checkHeaders = [...signHeaders, shadowHeader]
  return [
    post("/v1/*path", signHeaders, withCall(deps, "", forwarder(deps))),
    get("/v1/*path", venueReads(deps), [keyHeader]),
    post("/sign/v1/*path", signHeaders, withCall(deps, "/sign", sign)),
    post("/sign/batch", [], withBody(deps, batchSigner(deps))),
    post("/check/v1/*path", checkHeaders, withCall(deps, "/check", check)),
    // What a client has to have the right to.
    post("/freeze", [], withBody(deps, freeze)),
    post("/heartbeat", [], withBody(deps, heartbeat)),
    post("/prices", [], withBody(deps, feedPrices)),
    get("/metrics", withToken(deps, showMetrics)),
    // What it may do, and has done.
    get("/whoami", withToken(deps, whoami)),
    get("/limits", withToken(deps, showLimits)),
    get("/records", withToken(deps, findRecords)),
    get("/records/:id", withToken(deps, showRecord)),
    // Without a token.
    get("/healthz", () => Promise.resolve({ kind: "success", content: { state: "running" } })),
    get("/readyz", () => readiness(deps)),
    get("/openapi.json", () => Promise.resolve(contract)),
  ]
}
