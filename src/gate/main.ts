// The gate's process: started by a supervisor with an IPC channel, or by systemd with sockets that listen,
// in both cases with the flags of commands/daemon/process-flags.ts.

import { Fault } from "../std/fault.ts"
import { listenFds, serviceExitCode, serviceNotify, undenied } from "../std/systemd.ts"
import { errorFields, log, logFrom } from "./process/log.ts"
import { parseArguments, runGate, type RunningGate } from "./run-gate.ts"

/** What the gate tells the process that started it, once. */
type GateMessage =
  | { readonly type: "ready"; readonly port: number }
  | { readonly type: "failed"; readonly code: string; readonly message: string }

const service = serviceNotify()

process.on("uncaughtException", (error) => {
  log({ level: "error", event: "crashed", ...errorFields(error) })
  process.exit(1)
})

for (const message of undenied("countersign-gate.service")) {
  log({ level: "warn", event: "sandbox_open", message })
}

// Until it serves there is nothing to load anew, and nothing to die of.
process.on("SIGHUP", () => undefined)

try {
  const given = parseArguments(process.argv.slice(2))
  logFrom(given.logLevel)
  const gate = await runGate({ given, descriptors: listenFds(), service, log })
  obeySignals(gate)
  tell({ type: "ready", port: gate.port })
} catch (error) {
  fail(error)
}

/** A signal, or the loss of the process that started it, ends the gate in good order. */
function obeySignals(gate: RunningGate): void {
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    void gate.stop().then(() => process.exit(0))
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  process.on("SIGHUP", () => {
    if (!isStopping) void gate.reload()
  })
  process.on("disconnect", stop)
  // The parent may have gone meanwhile.
  if (process.send !== undefined && !process.connected) stop()
}

function fail(error: unknown): void {
  const fault = error instanceof Fault ? error : new Fault("internal", "The gate couldn't start.")
  service.status(fault.message)
  const { code, message } = fault
  // Whoever has an IPC channel to the gate says it by itself.
  if (fault !== error) log({ level: "error", event: "start_failed", ...errorFields(error) })
  else if (process.send === undefined) log({ level: "error", event: "start_failed", code, message })
  const exitCode = service.isHeard ? serviceExitCode(code) : 1
  tell({ type: "failed", code, message }, () => process.exit(exitCode))
}

function tell(message: GateMessage, then: () => void = () => undefined): void {
  if (process.send === undefined) then()
  else process.send(message, undefined, undefined, then)
}
