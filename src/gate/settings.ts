import { gateLimits } from "./gate-limits.ts"
import { hostsByPort } from "./admit.ts"
import { createUpstream, parseBaseUrl, type Upstream } from "./upstream.ts"

/** What of an installation's configuration the gate must know. */
export type SettingsWords = {
  /** The venue's base URL, if one is configured. */
  readonly upstream: string | null
  /** Further names that `Host` may carry, without port. */
  readonly allowedHosts: readonly string[]
}

export type GateSettings = {
  /** `undefined` when no `base_url` is configured. */
  readonly upstream: Upstream | undefined
  /** The values of `Host` that mean this gate on a socket of this port; a Unix socket has none. */
  readonly hosts: (port: number | undefined) => ReadonlySet<string>
}

/** Makes of the words what the gate serves with. @throws {Fault} `config_invalid` */
export function settingsOf({ upstream, allowedHosts }: SettingsWords): GateSettings {
  return {
    upstream:
      upstream === null
        ? undefined
        : createUpstream({ baseUrl: parseBaseUrl(upstream), limits: gateLimits }),
    hosts: hostsByPort(allowedHosts),
  }
}
