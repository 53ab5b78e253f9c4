import { shellWord } from "../../std/visible.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"
import type { Reached } from "./reach.ts"

/** Whether the venue can be sent to: that `base_url` is set, and that somebody answers there, over TLS where it is https. */
export async function upstreamFinding(
  at: { readonly baseUrl: string | undefined; readonly venueFile: string },
  reach: (url: URL) => Promise<Reached>,
): Promise<Finding> {
  const { baseUrl, venueFile } = at
  if (baseUrl === undefined) {
    return warn(
      "upstream",
      "base_url isn't set, so nothing can be forwarded: /sign works, and /v1 answers 501.",
      `add base_url to ${shellWord(venueFile)}`,
    )
  }
  const url = new URL(baseUrl)
  const reached = await reach(url)
  if (reached.kind === "reached") {
    return ok(
      "upstream",
      `${url.origin} takes connections${url.protocol === "https:" ? ", and its certificate is valid" : ""}.`,
    )
  }
  const isSandbox = url.protocol === "http:" && reached.code === "ECONNREFUSED"
  return fail(
    "upstream",
    `${url.origin} ${words(reached.code)}.`,
    isSandbox ? `countersign sandbox --port ${url.port}` : fixOf(url, reached.code),
  )
}

/** What the commonest errors mean; the others are told by their code. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["ENOTFOUND", "has a host name that nobody knows"],
  ["EAI_AGAIN", "couldn't be looked up: no name server answers"],
  ["ECONNREFUSED", "refuses connections"],
  ["ETIMEDOUT", "doesn't answer"],
  ["ENETUNREACH", "can't be reached: there is no route to it"],
  ["EHOSTUNREACH", "can't be reached: there is no route to it"],
  ["CERT_HAS_EXPIRED", "shows a certificate that has expired"],
  ["CERT_NOT_YET_VALID", "shows a certificate that isn't valid yet"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "shows a certificate for another name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "shows a certificate that no known authority signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "shows a certificate that no known authority signed"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "shows a certificate that no known authority signed"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "shows a certificate that no known authority signed"],
])

function words(code: string): string {
  const atProxy = /^PROXY_(.*)$/.exec(code)?.[1]
  if (atProxy !== undefined) return `can't be reached through upstream.proxy (${atProxy})`
  return meanings.get(code) ?? `can't be reached (${code})`
}

function fixOf(url: URL, code: string): string {
  const host = shellWord(url.hostname)
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `getent hosts ${host}`
  return `curl -v ${shellWord(url.origin)}`
}
