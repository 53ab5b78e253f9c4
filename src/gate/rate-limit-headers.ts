import type { RateLimit } from "../link/signed.ts"

/** The interface's "Limits": budgets are of a rolling minute. */
const windowSeconds = 60

/**
 * How much of the venue's rate budgets is left, in the fields of draft-ietf-httpapi-ratelimit-headers: `r` is what may
 * be sent now, `t` in how many seconds the oldest of what is used stops counting.
 */
export function rateLimitHeaders(
  limits: readonly RateLimit[] = [],
): Readonly<Record<string, string>> {
  if (limits.length === 0) return {}
  const policies = limits.map(({ scope, max }) => `"${scope}";q=${max};w=${windowSeconds}`)
  const stands = limits.map(({ scope, left, freesInMs }) => {
    const frees = freesInMs === null ? "" : `;t=${Math.ceil(freesInMs / 1_000)}`
    return `"${scope}";r=${left}${frees}`
  })
  return { "RateLimit-Policy": policies.join(", "), RateLimit: stands.join(", ") }
}
