// The gate's process. A supervisor starts it with an IPC channel and the flags of permission-flags.ts.

import { setTimeout as after } from "node:timers/promises"
import { parseArgs } from "node:util"

import { connectBotLink } from "../link/client.ts"
import { Fault } from "../std/fault.ts"
import { gateLimits } from "./gate-limits.ts"
import { createGateServer, portOf, type GateServer } from "./gate-server.ts"
import { createLog, errorFields, type Log } from "./log.ts"
import { outboxDeadlineMs, sendOutbox, type OutboxSending } from "./send-outbox.ts"
import { createUpstream, parseBaseUrl } from "./upstream.ts"

/** What the gate tells the process that started it, once. */
export type GateMessage =
  | { readonly type: "ready"; readonly port: number }
  | { readonly type: "failed"; readonly code: string; readonly message: string }

type Settings = ReturnType<typeof readArguments>

// The ledger has every request; a line for each here is for those who look for a fault.
const level = process.argv.includes("--log-requests") ? "debug" : "info"
const log = createLog(level, (line) => process.stderr.write(line))

process.on("uncaughtException", (error) => {
  log({ level: "error", event: "crashed", ...errorFields(error) })
  process.exit(1)
})

try {
  await run(readArguments(process.argv.slice(2)))
} catch (error) {
  const fault = error instanceof Fault ? error : new Fault("internal", "The gate couldn't start.")
  tell({ type: "failed", code: fault.code, message: fault.message }, () => process.exit(1))
}

async function run(settings: Settings): Promise<void> {
  const link = connectBotLink(settings.botSocket)
  const upstream =
    settings.upstream === undefined
      ? undefined
      : createUpstream({ baseUrl: parseBaseUrl(settings.upstream), limits: gateLimits })
  const { allowedHosts } = settings
  const gate = createGateServer({ link, upstream, allowedHosts, log, clock: Date.now })
  await listen(gate, settings)
  const outboxLink = connectBotLink(settings.botSocket, { deadlineMs: outboxDeadlineMs })
  const outbox = upstream && sendOutbox({ link: outboxLink, upstream, log, clock: Date.now })
  stopOnRequest({ gate, outbox, log })
  log({ level: "debug", event: "listening", port: portOf(gate.http) })
  tell({ type: "ready", port: portOf(gate.http) })
}

function readArguments(argv: readonly string[]) {
  const values = parseOptions(argv)
  const port = Number(values.port)
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) {
    throw new Fault("usage", "--port must be a number from 0 to 65535.")
  }
  if (values["bot-socket"] === undefined) {
    throw new Fault("usage", "--bot-socket PATH is missing.")
  }
  return {
    host: values.host,
    port,
    botSocket: values["bot-socket"],
    upstream: values.upstream,
    allowedHosts: values["allowed-host"],
  }
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "8420" },
        "bot-socket": { type: "string" },
        upstream: { type: "string" },
        "allowed-host": { type: "string", multiple: true, default: [] },
        "log-requests": { type: "boolean" },
      },
    }).values
  } catch (cause) {
    throw new Fault("usage", "The gate was started with an argument it doesn't know.", { cause })
  }
}

function listen(gate: GateServer, { host, port }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    gate.http.once("error", (error: NodeJS.ErrnoException) =>
      reject(listenFault(error, host, port)),
    )
    gate.http.listen(port, host, resolve)
  })
}

function listenFault(cause: NodeJS.ErrnoException, host: string, port: number): Fault {
  return cause.code === "EADDRINUSE"
    ? new Fault(
        "port_in_use",
        `Port ${port} on ${host} is in use; stop the other program or choose another port.`,
        { cause },
      )
    : new Fault(
        "port_unusable",
        `Can't listen on ${host} port ${port} (${cause.code ?? "unknown"}); choose another.`,
        { cause },
      )
}

type Running = {
  readonly gate: GateServer
  /** `undefined` where there is no venue to send to. */
  readonly outbox: OutboxSending | undefined
  readonly log: Log
}

/** A signal, or the loss of the process that started it, ends the gate in good order. */
function stopOnRequest({ gate, outbox, log }: Running): void {
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    log({ level: "debug", event: "stopping" })
    const sent = Promise.race([outbox?.stop(), after(gateLimits.stopMs, undefined, { ref: false })])
    void Promise.all([gate.stop(), sent]).then(() => process.exit(0))
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  process.on("SIGHUP", () => undefined) // the vault loads its files; who asks it may have asked us all
  process.on("disconnect", stop)
  // The parent may have gone meanwhile.
  if (process.send !== undefined && !process.connected) stop()
}

function tell(message: GateMessage, then: () => void = () => undefined): void {
  if (process.send === undefined) {
    if (message.type === "failed") process.stderr.write(`${message.message}\n`)
    then()
  } else process.send(message, undefined, undefined, then)
}
