/** How the venue is reached. Nothing in it is secret. */
export type UpstreamSettings = {
  readonly baseUrl: string
  /** PEM of the authorities to trust in place of the system's. */
  readonly ca: string | null
  /** `http://host:port`: where connections to an https venue are tunnelled through. */
  readonly proxy: string | null
  /** From a request's turn to the last byte of its answer. */
  readonly deadlineMs: number
}

/** What of an installation's configuration whoever sends to the venue must know. */
export type GateSettings = {
  /** `null` where no `base_url` is configured. */
  readonly upstream: UpstreamSettings | null
  /** Further names that `Host` may carry, without port. */
  readonly allowedHosts: readonly string[]
}
