import type { IncomingMessage, ServerResponse } from "node:http"

import type { GateLimits } from "../process/gate-limits.ts"
import { readToken, tokenMissing } from "./admit.ts"
import { readCall, type Call } from "./read-call.ts"
import type { Reply } from "./reply.ts"

export type Route = {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Headers of ours that it acts on. */
  readonly ownHeaders: readonly string[]
}

/** `gone`: who asked hung up, or has to be cut off. `written`: the whole answer is in the response already. */
export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<Reply | "gone" | "written">

export type RouteWithAnswer = Route & { readonly answer: Answer }

/** A route that reads. */
export function get(
  path: string,
  answer: Answer,
  ownHeaders: readonly string[] = [],
): RouteWithAnswer {
  return { method: "GET", path, ownHeaders, answer }
}

/** A route that takes a body. */
export function post(path: string, ownHeaders: readonly string[], answer: Answer): RouteWithAnswer {
  return { method: "POST", path, ownHeaders, answer }
}

/** Reads token and body. The venue's path is what follows `prefix`, exactly as it came: nothing here decodes it. */
export function withCall<Deps extends { readonly limits: GateLimits }>(
  deps: Deps,
  prefix: string,
  answer: (deps: Deps, call: Call) => Promise<Reply>,
): Answer {
  return async (request) => {
    const call = await readCall(request, urlOf(request).slice(prefix.length), deps.limits)
    if (call.ok) return answer(deps, call.value)
    return call.error === "gone" ? "gone" : { kind: "problem", problem: call.error }
  }
}

/** Reads token and body of a call that isn't for one path of the venue. */
export function withBody<Deps extends { readonly limits: GateLimits }>(
  deps: Deps,
  answer: (deps: Deps, ask: Call["ask"]) => Promise<Reply>,
): Answer {
  return withCall(deps, "", (_, { ask }) => answer(deps, ask))
}

/** Reads the token. */
export function withToken<Deps>(
  deps: Deps,
  answer: (deps: Deps, token: string, url: string) => Promise<Reply>,
): Answer {
  return (request) => {
    const token = readToken(request)
    return token === undefined
      ? Promise.resolve({ kind: "problem", problem: tokenMissing })
      : answer(deps, token, urlOf(request))
  }
}

/** Its target, as it came. */
export function urlOf({ url = "" }: IncomingMessage): string {
  return url
}
