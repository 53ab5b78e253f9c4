import type { GateSettings } from "../../link/gate-settings.ts"
import type { FileSet } from "../config/file-set.ts"

/** The settings that the gate needs to send to the venue. */
export function gateSettingsOf({ config, profile: { baseUrl } }: FileSet): GateSettings {
  return {
    upstream: baseUrl === undefined ? null : { baseUrl, ...config.upstream },
    allowedHosts: config.allowedHosts,
  }
}
