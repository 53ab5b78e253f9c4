import type { Server } from "node:http"
import { duplexPair } from "node:stream"
import { text } from "node:stream/consumers"
import { setTimeout as after } from "node:timers/promises"

import type { BotLink } from "../link/client.ts"
import type { ServiceNotify } from "../std/systemd.ts"

export type StateReport = {
  /** Says that the gate serves. */
  ready(): void
}

/** Between looks at the vault where no watchdog sets the pace. */
const usualBeatMs = 10_000

/** What `systemctl status` shows until the vault answers. */
export const waitingForVault = "waiting for the vault"

/**
 * Tells systemd that the gate serves, whether the vault answers, and that it is alive. Alive is a gate that
 * answers a request of its own: a vault that is away isn't fixed by killing the gate.
 */
export function reportState({
  service,
  servers,
  link,
}: {
  readonly service: ServiceNotify
  readonly servers: readonly Server[]
  readonly link: BotLink
}): StateReport {
  let word = waitingForVault
  const line = (): string => `serving ${servers.map(placeOf).join(" and ")}; ${word}`
  const refresh = async (): Promise<void> => {
    const heard = await wordOf(link)
    if (heard === word) return
    word = heard
    service.status(line())
  }
  if (service.isHeard) {
    const { watchdogMs = 2 * usualBeatMs } = service
    void onBeat(watchdogMs / 2, refresh)
    void onBeat(watchdogMs / 2, async () => {
      const tests = servers.map((http) => answersItself(http, watchdogMs / 2))
      if ((await Promise.all(tests)).every(Boolean)) service.alive()
    })
  }
  return { ready: () => service.ready(line()) }
}

async function onBeat(pauseMs: number, work: () => Promise<void>): Promise<never> {
  for (;;) {
    await work()
    await after(pauseMs, undefined, { ref: false })
  }
}

async function wordOf(link: BotLink): Promise<string> {
  try {
    const { signs, reasons } = await link.call("health", {})
    return `the vault signs ${[signs, ...reasons].join(", ")}`
  } catch {
    return waitingForVault
  }
}

function placeOf(http: Server): string {
  const address = http.address()
  // Node can't tell the path of a Unix socket that was handed over.
  if (address === null || typeof address === "string") return "a Unix socket"
  const { family, address: host, port } = address
  return family === "IPv6" ? `[${host}]:${port}` : `${host}:${port}`
}

const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

/**
 * Whether `http` answers a request for `/healthz` with 200 in time. The connection is made in memory, and
 * taken as if it had come in: a gate that answers nobody must not seem alive because its timers run.
 */
export async function answersItself(http: Server, deadlineMs: number): Promise<boolean> {
  const [client, served] = duplexPair()
  const deadline = setTimeout(() => client.destroy(), deadlineMs)
  try {
    http.emit("connection", served)
    client.write(request)
    return (await text(client)).startsWith("HTTP/1.1 200 ")
  } catch {
    return false
  } finally {
    clearTimeout(deadline)
    client.destroy()
    served.destroy()
  }
}
