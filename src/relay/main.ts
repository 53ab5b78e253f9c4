// The relay's process: started by a supervisor with an IPC channel, or by systemd, in both cases with the flags of
// commands/daemon/relay-flags.ts.

import { parseArgs } from "node:util"

import { Fault } from "../std/fault.ts"
import { readLogLevel } from "../std/log.ts"
import { serviceExitCode, serviceNotify, undenied } from "../std/systemd.ts"
import { errorFields, failureFields, log, logFrom } from "./log.ts"
import { type RunningRelay, runRelay } from "./run-relay.ts"

/** What the relay tells the process that started it, once. */
type RelayMessage =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly code: string; readonly message: string }

const service = serviceNotify()

process.on("uncaughtException", (error) => {
  log({ level: "error", event: "crashed", ...errorFields(error) })
  process.exit(1)
})

for (const message of undenied("countersign-relay.service")) {
  log({ level: "warn", event: "sandbox_open", message })
}

// Until it runs there is nothing to load anew, and nothing to die of.
process.on("SIGHUP", () => undefined)

try {
  const given = parseArguments(process.argv.slice(2))
  logFrom(given.logLevel)
  const relay = await runRelay({ given, service, log })
  obeySignals(relay)
  tell({ type: "ready" })
} catch (error) {
  fail(error)
}

/** A signal, or the loss of the process that started it, ends the relay in good order. */
function obeySignals(relay: RunningRelay): void {
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    void relay.stop().then(() => process.exit(0))
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  process.on("SIGHUP", () => {
    if (!isStopping) void relay.reload()
  })
  process.on("disconnect", stop)
  // The parent may have gone meanwhile.
  if (process.send !== undefined && !process.connected) stop()
}

function fail(error: unknown): void {
  const fault = error instanceof Fault ? error : new Fault("internal", "The relay couldn't start.")
  service.status(fault.message)
  const { code, message } = fault
  // Whoever has an IPC channel to the relay says it by itself.
  if (fault !== error || process.send === undefined) {
    log({ level: "error", event: "start_failed", ...failureFields(error) })
  }
  const exitCode = service.isHeard ? serviceExitCode(code) : 1
  tell({ type: "failed", code, message }, () => process.exit(exitCode))
}

function tell(message: RelayMessage, then: () => void = () => undefined): void {
  if (process.send === undefined) then()
  else process.send(message, undefined, undefined, then)
}

/** Parses the command line of the relay's process. @throws {Fault} `usage` */
function parseArguments(argv: readonly string[]) {
  const { config, "ledger-socket": ledgerSocket } = parseOptions(argv)
  if (config === undefined) throw new Fault("usage", "--config FILE is missing.")
  if (ledgerSocket === undefined) throw new Fault("usage", "--ledger-socket PATH is missing.")
  return { configFile: config, ledgerSocket, logLevel: readLogLevel() }
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: { config: { type: "string" }, "ledger-socket": { type: "string" } },
    }).values
  } catch (cause) {
    throw new Fault("usage", "The relay was started with an argument it doesn't know.", { cause })
  }
}
