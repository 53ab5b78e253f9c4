import type { GateSettings } from "../../link/views/gate-settings.ts"
import type { FileSet } from "../config/file-set.ts"

/** What of the files whoever sends to the venue must know. */
export function gateSettingsOf({ config, profile: { baseUrl } }: FileSet): GateSettings {
  return {
    upstream: baseUrl === undefined ? null : { baseUrl, ...config.upstream },
    allowedHosts: config.allowedHosts,
  }
}
