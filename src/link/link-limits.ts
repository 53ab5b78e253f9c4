/** Bounds of a socket's server, each against a peer that is broken or hostile. */
export type LinkLimits = {
  /** The gate uses one connection, the command line one a call. Above, see `SharedConnections`. */
  readonly maxConnections: number
  /** Calls of one connection at work; no more is read from it until one is answered. */
  readonly maxCallsInFlight: number
  /** Answers waiting for a peer that doesn't read; no more is read from it until they left. */
  readonly maxUnreadBytes: number
  /** From a line's first byte to its last, and from connecting to the first frame where a secret is due. */
  readonly partialLineMs: number
  /** How long closing waits for calls at work. */
  readonly closeMs: number
}

export const linkLimits: LinkLimits = {
  maxConnections: 64,
  maxCallsInFlight: 1_024,
  maxUnreadBytes: 4 * 1024 * 1024,
  partialLineMs: 10_000,
  closeMs: 5_000,
}
