/** `countersign.yaml`, read. Durations in milliseconds. */
export type Config = {
  readonly listen: { readonly host: string; readonly port: number }
  /** Further names that `Host` may carry, without port. */
  readonly allowedHosts: readonly string[]
  readonly allowRemote: boolean
  readonly keystore: {
    readonly backend: "keystore" | "memory"
    /** Absolute path; the passphrase itself is never in the configuration. */
    readonly passphraseFile: string | undefined
  }
  readonly expiresInMs: { readonly trade: number; readonly typeB: number }
  /** From this long before its computed expiry on, an agent signs only what reduces risk. */
  readonly stopBeforeMs: number
}
