import { writeFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { join } from "node:path"
import type { TestContext } from "node:test"

import type { LogEntry } from "../../src/relay/log.ts"
import { relayLimits, type RelayLimits } from "../../src/relay/relay-limits.ts"
import { runRelay, type RunningRelay } from "../../src/relay/run-relay.ts"
import { serviceNotify } from "../../src/std/systemd.ts"
import type { Certificates } from "./certificates.ts"
import { temporaryDirectory } from "./link-peer.ts"

/** A connection that the relay made to the vault's socket. */
export type Dialled = {
  readonly socket: Socket
  /** The line that it began with. */
  readonly greeting: string
}

export type Side = {
  readonly path: string
  /** Each connection once, in order. */
  next(): Promise<Dialled>
  close(): Promise<void>
}

/** The vault's side: a socket that takes what the relay dials. Ends with the test. */
export async function takeDials(t: TestContext, path: string): Promise<Side> {
  const waiting: Dialled[] = []
  const askers: ((dialled: Dialled) => void)[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    void readGreeting(socket).then((greeting) => {
      const dialled = { socket, greeting }
      const asker = askers.shift()
      if (asker === undefined) waiting.push(dialled)
      else asker(dialled)
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  t.after(close)
  return {
    path,
    next: () => {
      const dialled = waiting.shift()
      return dialled === undefined
        ? new Promise((resolve) => askers.push(resolve))
        : Promise.resolve(dialled)
    },
    close,
  }
}

/** Reads no byte further than the line. */
async function readGreeting(socket: Socket): Promise<string> {
  let line = ""
  for (;;) {
    const byte = socket.read(1) as Buffer | null // no encoding was set
    if (byte === null) await new Promise((resolve) => socket.once("readable", resolve))
    else if (byte.toString() === "\n") return line
    else line += byte.toString()
  }
}

/** Short enough for tests that have to see one run out. */
export const shortLimits: RelayLimits = {
  ...relayLimits,
  answerMs: 300,
  shortestPauseMs: 10,
  longestPauseMs: 40,
  steadyMs: 50,
  lingerMs: 200,
}

export type RelaySite = {
  readonly relay: RunningRelay
  readonly configFile: string
  readonly ledgerSocket: string
  readonly log: readonly LogEntry[]
  /** The first entry that fits, now or later. */
  logged(event: string, fits?: (entry: LogEntry) => boolean): Promise<LogEntry>
  writeConfig(servers: Readonly<Record<string, string>>, certificates: Certificates): void
}

/** relay.yaml for servers by name, with the first client's certificate. */
export function relayYaml(
  servers: Readonly<Record<string, string>>,
  { ca, clients }: Certificates,
): string {
  const [client] = Object.values(clients)
  const list = Object.entries(servers).map(
    ([name, address]) => `  - {name: ${name}, address: ${address}}\n`,
  )
  const files = `ca: ${ca}\ncertificate: ${client?.certificate}\nkey: ${client?.key}\n`
  return `servers:\n${list.join("")}${files}`
}

/** Runs the relay in this process until the test ends. */
export async function startRelaySite(
  t: TestContext,
  ask: {
    readonly servers: Readonly<Record<string, string>>
    readonly certificates: Certificates
    readonly limits?: Partial<RelayLimits>
  },
): Promise<RelaySite> {
  const directory = temporaryDirectory()
  const configFile = join(directory.path, "relay.yaml")
  const ledgerSocket = join(directory.path, "ledger.sock")
  const writeConfig: RelaySite["writeConfig"] = (servers, certificates) =>
    writeFileSync(configFile, relayYaml(servers, certificates))
  writeConfig(ask.servers, ask.certificates)
  const log: LogEntry[] = []
  const listeners = new Set<() => void>()
  const relay = await runRelay({
    given: { configFile, ledgerSocket },
    service: serviceNotify({}),
    log: (entry) => {
      log.push(entry)
      for (const listener of listeners) listener()
    },
    limits: { ...shortLimits, ...ask.limits },
  })
  t.after(async () => {
    await relay.stop()
    directory.remove()
  })
  const logged: RelaySite["logged"] = (event, fits = () => true) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = log.find((entry) => entry.event === event && fits(entry))
        if (found === undefined) return
        listeners.delete(look)
        resolve(found)
      }
      listeners.add(look)
      look()
    })
  return { relay, configFile, ledgerSocket, log, logged, writeConfig }
}
