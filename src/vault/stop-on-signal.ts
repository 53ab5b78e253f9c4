import type { LinkServer } from "../link/server.ts"
import type { VaultService } from "./vault-service.ts"
import type { Vault } from "./vault.ts"

/**
 * Ends the process in good order at SIGTERM, and when the parent that started it is gone: answers what is at
 * work, wipes the keys, gives the lock back.
 */
export function stopOnSignal(
  vault: Vault,
  service: Pick<VaultService, "stopping">,
  servers: readonly LinkServer[],
): void {
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    service.stopping()
    vault.outbox.end() // a gate that waits for requests would hold the sockets open
    void Promise.all(servers.map((server) => server.close()))
      .then(() => vault.close())
      .finally(() => process.exit())
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", () => undefined) // a terminal sends it to all; the parent stops us in order
  process.on("disconnect", stop)
  // The parent may have gone while the vault was opened.
  if (process.send !== undefined && !process.connected) stop()
}
