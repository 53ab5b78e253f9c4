import { setTimeout as after } from "node:timers/promises"

import type { BotLink } from "../contract/client.ts"
import type { GateSettings as SettingsWords } from "../link/gate-settings.ts"
import { hostsByPort } from "./http/admit.ts"
import { errorFields, type Log } from "./process/log.ts"
import { openUpstream, type Upstream } from "./upstream/upstream.ts"

export type GateSettings = Pick<SettingsWords, "keepWarmMs"> & {
  /** `undefined` when no `base_url` is configured. */
  readonly upstream: Upstream | undefined
  /** The values of `Host` that mean this gate on a socket of this port; a Unix socket has none. */
  readonly hosts: (port: number | undefined) => ReadonlySet<string>
}

/** Makes of the words what the gate serves with. @throws {Fault} `config_invalid` */
export function settingsOf({ upstream, allowedHosts, keepWarmMs }: SettingsWords): GateSettings {
  return {
    upstream: upstream === null ? undefined : openUpstream(upstream),
    hosts: hostsByPort(allowedHosts),
    keepWarmMs,
  }
}

export type LiveSettings = {
  /** Those in force; `undefined` until the vault has told them. It changes: don't keep it. */
  readonly current: GateSettings | undefined
  /** Resolves once there are any. Never throws. */
  readonly known: Promise<unknown>
  /** Asks for them anew; those in force stay when that throws. `undefined` where nobody can be asked. */
  readonly renew: (() => Promise<void>) | undefined
}

/** Before a vault is asked again that gave no answer. */
const pauseMs = 500

/** Settings that were given on the command line, for good. @throws {Fault} `config_invalid` */
export function givenSettings(words: SettingsWords): LiveSettings {
  return { current: settingsOf(words), known: Promise.resolve(), renew: undefined }
}

/** The vault's settings, since a gate in its own sandbox can read no file of them: asked for until they come. */
export function vaultSettings(link: BotLink, log: Log): LiveSettings {
  const live: { current: GateSettings | undefined } = { current: undefined }
  // An upstream that was exchanged isn't closed: a request may be about to be sent there. Its
  // connections close by themselves when they are idle.
  const renew = async (): Promise<void> => {
    live.current = settingsOf(await link.call("gateSettings", {}))
  }
  return Object.assign(live, { known: untilDone(renew, log), renew })
}

async function untilDone(work: () => Promise<void>, log: Log): Promise<void> {
  for (let isLogged = false; ; isLogged = true) {
    try {
      await work()
      return
    } catch (error) {
      if (!isLogged) log({ level: "warn", event: "waiting_for_vault", ...errorFields(error) })
      await after(pauseMs)
    }
  }
}
