import { toldReason } from "../../vault/status/signing.ts"
import type { StatusView } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { assertSocketPathsFit, type Installation } from "../../vault/config/installation.ts"
import { askStatus, separationWords } from "../installation/ask-daemon.ts"
import { dialAdmin } from "../installation/admin.ts"
import { fixHere } from "../installation/usual-installation.ts"
import { fail, failureOf, ok, warn, type Finding } from "./finding.ts"

export type DaemonLook =
  | { readonly kind: "running"; readonly status: StatusView }
  | { readonly kind: "stopped" }
  | { readonly kind: "refused"; readonly error: unknown }

/** Where countersign.yaml has the gate listen, and whether somebody does. */
export type PortLook = {
  readonly host: string
  readonly port: number
  readonly isAnswered: boolean
}

/** Asks the daemon of an installation how it is. */
export async function lookAtDaemon(installation: Installation): Promise<DaemonLook> {
  try {
    const link = await dialAdmin(installation)
    if (link === undefined) return { kind: "stopped" }
    const status = await askStatus(link).finally(() => link.close())
    return { kind: "running", status }
  } catch (error) {
    const isNew = error instanceof Fault && error.code === "not_initialised"
    return isNew ? { kind: "stopped" } : { kind: "refused", error }
  }
}

/** Whether a daemon runs, and whether its port and sockets are its own. */
export function daemonFindings(
  daemon: DaemonLook,
  port: PortLook | undefined,
  installation: Installation,
): readonly Finding[] {
  const serve = fixHere("countersign serve", installation)
  const isRunning = daemon.kind === "running"
  return [
    stateFinding(daemon, serve),
    ...(port === undefined ? [] : portFindings(port, isRunning)),
    ...socketFindings(installation),
  ]
}

function stateFinding(daemon: DaemonLook, serve: string): Finding {
  switch (daemon.kind) {
    case "stopped":
      return warn("daemon", "No daemon runs here, so nothing is signed.", serve)
    case "refused":
      return failureOf("daemon", daemon.error, `stop the daemon that runs here, then run: ${serve}`)
    case "running":
      return runningFinding(daemon.status)
  }
}

function runningFinding({ pid, started_by: startedBy }: StatusView): Finding {
  const split = startedBy === null ? "" : ` How it is split: ${separationWords(startedBy)}.`
  return ok("daemon", `It runs (pid ${pid}).${split}`)
}

function portFindings(
  { host, port, isAnswered }: PortLook,
  isRunning: boolean,
): readonly Finding[] {
  const who = `ss -ltnp 'sport = :${port}'`
  if (isAnswered && !isRunning) {
    const message = `Some other program listens on ${host}:${port}, where the gate should.`
    return [fail("daemon", message, `${who}; stop it, or change listen in countersign.yaml`)]
  }
  if (isAnswered || !isRunning) return []
  const message = `Nobody listens on ${host}:${port}: the gate is down, or was started with another --port.`
  return [warn("daemon", message, `${who}; then restart countersign serve`)]
}

function socketFindings(installation: Installation): readonly Finding[] {
  try {
    assertSocketPathsFit(installation)
    return []
  } catch (error) {
    return [failureOf("daemon", error, "choose a shorter path with --state-dir")]
  }
}

/** What the daemon says that it signs, and each reason why not more. Where none runs, that is told by itself. */
export function signingFindings(
  daemon: DaemonLook,
  installation: Installation,
): readonly Finding[] {
  if (daemon.kind !== "running") return []
  const { reasons } = daemon.status.state
  if (reasons.length === 0) return [ok("signing", "It signs what policies allow.")]
  return reasons.map((reason) => {
    const { scope, signs, fix } = reason
    const say = scope === "all" && signs === "nothing" ? fail : warn
    return say("signing", toldReason(reason), fixHere(fix, installation))
  })
}
