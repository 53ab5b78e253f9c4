import type { BotLink } from "../../contract/client.ts"
import { Fault } from "../../std/fault.ts"
import { openUpstream, type Upstream } from "./upstream.ts"

/** Where what clients ask for is sent. */
export type Venues = {
  /** The venue of now; `undefined` when no `base_url` is configured. */
  readonly upstream: () => Upstream | undefined
  /** The venue of paper clients; `undefined` when there is none. */
  readonly paper: () => Promise<Upstream | undefined>
}

/** Makes what asks for paper's venue as it is now: it comes and goes with a reload, of which given settings don't hear. */
export function paperVenue(link: BotLink): Venues["paper"] {
  let open: { readonly words: string; readonly upstream: Upstream } | undefined
  return async () => {
    const { paper } = await link.call("gateSettings", {})
    if (paper === null || paper === undefined) return undefined
    const words = JSON.stringify(paper)
    if (open?.words !== words) open = { words, upstream: openUpstream(paper) }
    return open.upstream
  }
}

/** Whether a token says of itself that its client trades on paper. */
export function isPaperToken(token: string | undefined): boolean {
  return token?.startsWith("cs_paper_") === true
}

/** Whether the vault is asked for a client at all. Of paper's venue the vault knows whether there is one. */
export function hasVenue({ upstream }: Venues, token: string): boolean {
  return isPaperToken(token) || upstream() !== undefined
}

/**
 * The venue that the vault's answer to a client is for. Where the client's token doesn't say the same, nothing is sent.
 *
 * @throws {Fault} `internal`.
 */
export async function venueFor(
  { upstream, paper }: Venues,
  token: string,
  answer: { readonly paper?: true | undefined },
): Promise<Upstream> {
  const isPaper = answer.paper === true
  const venue = isPaper ? await paper() : upstream()
  if (venue !== undefined && isPaper === isPaperToken(token)) return venue
  throw new Fault("internal", "The vault's answer is for a venue that isn't this client's.")
}
