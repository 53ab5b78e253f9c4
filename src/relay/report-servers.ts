import type { ServiceNotify } from "../std/systemd.ts"
import type { Log } from "./process/log.ts"

export type ServerReport = {
  connected(server: string): void
  lost(server: string, why: string): void
  /** Says nothing of these servers from now on, unless they are heard of again. */
  forget(servers: readonly string[]): void
  /** What `systemctl status` shows. */
  status(): string
}

/** Tells log and systemd what became of each server: once per change, however often it is tried. */
export function reportServers({
  log,
  service,
}: {
  readonly log: Log
  readonly service: ServiceNotify
}): ServerReport {
  /** Why each isn't connected; `undefined` for one that is. */
  const known = new Map<string, string | undefined>()
  const isNews = (server: string, why: string | undefined): boolean => {
    const isSame = known.has(server) && known.get(server) === why
    known.set(server, why)
    return !isSame
  }
  const status = (): string =>
    [...known]
      .map(([server, why]) => `${server}: ${why ?? "connected"}`)
      .sort()
      .join(" ") || "connecting"
  return {
    connected(server) {
      if (!isNews(server, undefined)) return
      log({ level: "info", event: "server_connected", server })
      service.status(status())
    },
    lost(server, why) {
      if (!isNews(server, why)) return
      log({ level: "warn", event: "server_lost", server, message: why })
      service.status(status())
    },
    forget(servers) {
      for (const server of servers) known.delete(server)
    },
    status,
  }
}
