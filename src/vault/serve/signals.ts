import { watch } from "node:fs"

import type { LinkServer } from "../../link/server.ts"
import { pathsOf, type Installation } from "../config/installation.ts"
import { keepStop } from "../config/kept-set.ts"
import type { FilesInForce } from "../active/active-set.ts"
import type { Outbox } from "../ledger/outbox.ts"
import { logFailure, log } from "../process/log.ts"
import type { VaultService } from "./vault-service.ts"

/**
 * Ends the process in good order at SIGTERM, and when the parent that started it is gone: answers what is at
 * work, wipes the keys, gives the lock back. That somebody asked for it is kept last of all, so that it is only said of
 * an end that came to its end.
 */
export function stopOnSignal(
  vault: {
    readonly outbox: Outbox
    readonly installation: Installation
    close(): Promise<void>
  },
  service: Pick<VaultService, "stopping">,
  servers: readonly LinkServer[],
): void {
  let isStopping = false
  const stop = (isAsked: boolean): void => {
    if (isStopping) return
    isStopping = true
    service.stopping()
    vault.outbox.end() // a gate that waits for requests would hold the sockets open
    void Promise.all(servers.map((server) => server.close()))
      .then(() => vault.close())
      .then(() => (isAsked ? keepStop(vault.installation) : undefined))
      .finally(() => process.exit())
  }
  const parent = process.ppid
  // Systemd sends it to what is left of a unit whose main process has died.
  process.on("SIGTERM", () => stop(process.ppid === parent))
  process.on("SIGINT", () => undefined) // a terminal sends it to all; the parent stops us in order
  process.on("disconnect", () => stop(false))
  // The parent may have gone while the vault was opened.
  if (process.send !== undefined && !process.connected) stop(false)
}

/** SIGHUP loads the files anew, and so does a change of them where countersign.yaml says so. */
export function reloadOnSignal(files: FilesInForce, service: Pick<VaultService, "reload">): void {
  const reloadAndLog = (): void => {
    service.reload().then(
      ({ policy_hash }) => log({ level: "info", event: "reloaded", policy_hash }),
      (error: unknown) => logFailure("reload_failed", error),
    )
  }
  process.on("SIGHUP", reloadAndLog)
  if (files.active().config.reloadOnChange) watchFiles(files.installation, reloadAndLog)
}

/** Editors write a file in several steps; a set is read when nothing has changed for so long. */
const quietMs = 250

/** Calls `changed` after the configuration's files have changed. Ends with the process. */
function watchFiles(installation: Installation, changed: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, quietMs)
  }
  for (const directory of [installation.configDir, pathsOf(installation).policiesDir]) {
    watch(directory, (_, name) => {
      if (name === null || /\.ya?ml$/i.test(name)) later()
    })
  }
}
