// What of a request's first line may go to the venue.

/** Together with the path it stays far below what HTTP servers take of a first line. */
const maxQueryLength = 2_048

// Only words, so that nothing of the path can lead out of the base address.
const plainPath = /^(?:\/[A-Za-z0-9._-]*[A-Za-z0-9_-])+$/

// Visible ASCII: no space, no #, no backslash and no quotes, of which readers make different things.
const queryPattern = /^[\x21\x24-\x26\x28-\x5b\x5d-\x5f\x61-\x7e]*$/

/** Whether a text may be the path of a request to the venue. */
export function isPlainPath(text: string): boolean {
  return plainPath.test(text)
}

/** Whether a text may go to the venue as a query, without its `?`, exactly as it is. */
export function isQuery(text: string): boolean {
  return text.length <= maxQueryLength && queryPattern.test(text)
}
