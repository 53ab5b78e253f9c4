import { join } from "node:path"

import type { PostgresLedger } from "../../src/vault/config/ledger-config.ts"
import { readLedgerKey } from "../../src/vault/ledger/audit/ledger-key.ts"
import { startCrashServers, type CrashRelay } from "./crash-servers.ts"
import type { LedgerElsewhere } from "./crash-site.ts"
import { moved } from "./postgres-ledger.ts"
import { hostRole } from "./postgres-server.ts"

/**
 * What fails of what a ledger on PostgreSQL depends on besides the vault. Each ends the vault that is at work. After a
 * failover the standby is the primary, and has a new standby; after the others all is as it was.
 */
export const failures = ["primary", "standby", "relay", "failover"] as const
export type Failure = (typeof failures)[number]

/** A primary, the standby that its commits wait for, and a relay, for the one host of a crash site. */
export type CrashPostgres = LedgerElsewhere & {
  /** Ends what is to fail at once, as a power loss does. */
  fail(what: Failure): Promise<void>
  mend(what: Failure): Promise<void>
  /** The last entry there: its number, and its hash in hex. */
  head(): string
  close(): Promise<void>
}

/** Long enough for a busy machine: a vault that ends by it ended unasked. */
const commitTimeout = "8s"

/** Starts the servers; the relay starts with the site's move. */
export async function startCrashPostgres(): Promise<CrashPostgres> {
  const servers = await startCrashServers()
  let socket = ""
  let relay: CrashRelay | undefined
  return {
    settings: `ledger: {engine: postgres, host: a, commit_timeout: ${commitTimeout}}\n`,
    async move({ dir, ledgerFile }) {
      const key = await readLedgerKey(join(dir, "ledger.key"))
      if (key === undefined) throw new Error("the site has no ledger.key")
      const postgres = { host: "a", role: hostRole } as PostgresLedger // what the move asks for
      servers.primary().sql(moved(ledgerFile, postgres, key))
      socket = join(dir, "ledger.sock")
      relay = servers.startRelay(socket)
    },
    async fail(what) {
      if (what === "relay") await relay?.stop()
      else await (what === "standby" ? servers.standby() : servers.primary()).kill()
    },
    async mend(what) {
      if (what === "primary") return servers.primary().start()
      if (what === "standby") return servers.standby().start()
      await relay?.stop()
      if (what === "failover") await servers.promote()
      relay = servers.startRelay(socket)
    },
    head: () => servers.head(),
    async close() {
      await relay?.stop()
      await servers.close()
    },
  }
}
