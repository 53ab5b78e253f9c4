import { log, logFailure } from "./log.ts"
import type { VaultService } from "./vault-service.ts"
import type { Vault } from "./vault.ts"
import { watchFiles } from "./watch-files.ts"

/** SIGHUP loads the files anew, and so does a change of them where countersign.yaml says so. */
export function reloadOnSignal(vault: Vault, service: Pick<VaultService, "reload">): void {
  const reloadAndLog = (): void => {
    service.reload().then(
      ({ policy_hash }) => log({ level: "info", event: "reloaded", policy_hash }),
      (error: unknown) => logFailure("reload_failed", error),
    )
  }
  process.on("SIGHUP", reloadAndLog)
  if (vault.active().config.reloadOnChange) watchFiles(vault.installation, reloadAndLog)
}
