import type { IncomingMessage } from "node:http"

import { consolePath } from "../admit.ts"
import { unknownEndpoint } from "../read-call.ts"
import type { Reply } from "../reply.ts"
import { get, post, urlOf, type Answer, type RouteWithAnswer } from "../route.ts"
import { admitOwnPage } from "./admit-own-page.ts"
import { endSession, freezeAll, openSession, type CallDependencies } from "./console-calls.ts"
import { proofHeader } from "./console-session.ts"
import { consoleEvents, type EventDependencies } from "./console-events.ts"
import { readAssets, type Asset, type Assets } from "./read-assets.ts"

const assetsPath = `${consolePath}/assets/`

/** The console: a page for people, and what it alone may call. No bot needs any of it. */
export function consoleRoutes(
  deps: CallDependencies & EventDependencies,
): readonly RouteWithAnswer[] {
  const assets = keptAssets()
  return [
    get(consolePath, async () => replyOf((await assets()).page)),
    get(`${assetsPath}*file`, async (request) => {
      const url = urlOf(request)
      const asset = (await assets()).files.get(url.slice(assetsPath.length))
      return asset === undefined
        ? { kind: "problem", problem: unknownEndpoint(url) }
        : replyOf(asset)
    }),
    post(`${consolePath}/session`, [], fromOwnPage(openSession(deps))),
    get(`${consolePath}/events`, fromOwnPage(consoleEvents(deps)), [proofHeader]),
    post(`${consolePath}/freeze`, [proofHeader], fromOwnPage(freezeAll(deps))),
    post(`${consolePath}/end`, [proofHeader], fromOwnPage(endSession(deps))),
  ]
}

/** Reads them when somebody first looks at the page: a gate that nobody looks at pays nothing. */
function keptAssets(): () => Promise<Assets> {
  let kept: Promise<Assets> | undefined
  return () => {
    kept ??= readAssets().catch((error: unknown) => {
      kept = undefined
      throw error
    })
    return kept
  }
}

function replyOf({ type, text }: Asset): Reply {
  return { kind: "text", type, text }
}

/** Lets only through what a browser says that this page sends. */
function fromOwnPage(answer: Answer): Answer {
  return (request: IncomingMessage, response) => {
    const problem = admitOwnPage(request)
    return problem === undefined
      ? answer(request, response)
      : Promise.resolve({ kind: "problem", problem })
  }
}
