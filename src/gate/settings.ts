import type { GateSettings as SettingsWords, UpstreamSettings } from "../link/gate-settings.ts"
import { gateLimits } from "./gate-limits.ts"
import { hostsByPort } from "./admit.ts"
import { createUpstream, parseBaseUrl, parseProxy, type Upstream } from "./upstream.ts"

export type GateSettings = {
  /** `undefined` when no `base_url` is configured. */
  readonly upstream: Upstream | undefined
  /** The values of `Host` that mean this gate on a socket of this port; a Unix socket has none. */
  readonly hosts: (port: number | undefined) => ReadonlySet<string>
}

/** Makes of the words what the gate serves with. @throws {Fault} `config_invalid` */
export function settingsOf({ upstream, allowedHosts }: SettingsWords): GateSettings {
  return {
    upstream: upstream === null ? undefined : openUpstream(upstream),
    hosts: hostsByPort(allowedHosts),
  }
}

/** Opens what sends to the venue as it is configured. @throws {Fault} `config_invalid` */
export function openUpstream({ baseUrl, ca, proxy, deadlineMs }: UpstreamSettings): Upstream {
  return createUpstream({
    baseUrl: parseBaseUrl(baseUrl),
    limits: { ...gateLimits, upstreamTotalMs: deadlineMs },
    ...(ca !== null && { ca }),
    ...(proxy !== null && { proxy: parseProxy(proxy) }),
  })
}
