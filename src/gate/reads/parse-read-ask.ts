import type { IncomingMessage } from "node:http"

import { err, ok, type Result } from "../../std/result.ts"
import { parseToken, tokenProblem } from "../http/admit.ts"
import { invalidHeader, type Problem } from "../http/problem.ts"
import { maxPathLength, parseKey, parseTraceparent, unknownEndpoint } from "../http/read-call.ts"
import { isPlainPath, isQuery } from "../upstream/target.ts"
import type { FetchAsk } from "../upstream/upstream.ts"

/** What a bot wants to read of the venue. */
export type ReadAsk = Omit<FetchAsk, "signal"> & {
  readonly token: string
  /** `Countersign-Key`. */
  readonly key: string | undefined
}

/** Parses a `GET /v1/…`. `isWhole`: the bot wants all pages, and what asks for that isn't in the query any more. */
export function parseReadAsk(
  request: IncomingMessage,
): Result<{ readonly ask: ReadAsk; readonly isWhole: boolean }, Problem> {
  const token = parseToken(request)
  if (token === undefined) return err(tokenProblem(request))
  const target = parseTarget(request)
  if (!target.ok) return target
  const key = parseKey(request)
  if (!key.ok) return key
  const { isWhole, ...place } = target.value
  const ask = { token, ...place, key: key.value, traceparent: parseTraceparent(request) }
  return ok({ ask, isWhole })
}

type Target = Pick<ReadAsk, "path" | "query"> & { readonly isWhole: boolean }

function parseTarget({ url = "", httpVersion }: IncomingMessage): Result<Target, Problem> {
  const [sent = "", ...rest] = url.split("?")
  // A parameter of docs/openapi.json stands for many segments; clients made of it encode what is between them.
  const path = sent.replaceAll(/%2f/gi, "/")
  if (path.length > maxPathLength || !isPlainPath(path)) return err(unknownEndpoint(path))
  const written = rest.join("?")
  if (!isQuery(written)) return err(strangeQuery)
  const parts = written.split("&")
  const isWhole = parts.includes(wholeList)
  // Only 1.1 has chunks (RFC 9112 §7.1), by which a client sees that a part isn't the whole.
  if (isWhole && httpVersion !== "1.1") return err(tooOld)
  return ok({ path, query: parts.filter((part) => part !== wholeList).join("&"), isWhole })
}

/** What asks for all pages. It is ours, so the venue doesn't see it. */
const wholeList = "all=true"

const strangeQuery = invalidHeader(
  "request-target",
  "The query may have at most 2,048 characters, visible ASCII without quotes, # and backslash; percent-encode others.",
)
const tooOld = invalidHeader("request-target", `${wholeList} needs HTTP/1.1.`)
