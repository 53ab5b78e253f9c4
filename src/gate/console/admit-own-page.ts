import type { IncomingMessage } from "node:http"

import { headerValues } from "../headers.ts"
import type { Problem } from "../problem.ts"

/**
 * Refuses what no browser said that our own page sends. Elsewhere a request that says nothing of where it comes
 * from is taken, as every bot's is; an Origin that isn't ours has been refused before.
 */
export function admitOwnPage(request: IncomingMessage): Problem | undefined {
  const [site] = headerValues(request, "sec-fetch-site")
  const isOurs = headerValues(request, "origin").length > 0 || site === "same-origin"
  return isOurs ? undefined : notFromPage
}

const notFromPage: Problem = {
  code: "origin_refused",
  message: "Only the console's page can call this; run countersign console to open it.",
}
