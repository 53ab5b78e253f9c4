import { parseArgs } from "node:util"

import type { UpstreamSettings } from "../../link/gate-settings.ts"
import { Fault } from "../../std/fault.ts"
import { type LogLevel, readLogLevel } from "../../std/log.ts"
import { gateLimits } from "./gate-limits.ts"

export type GateArguments = {
  readonly host: string
  readonly port: number
  readonly botSocket: string
  /** `null` when none is given. */
  readonly upstream: UpstreamSettings | null
  readonly allowedHosts: readonly string[]
  /** Where private files with addresses and secrets of `notify` are. */
  readonly notifyDirectory: string | undefined
  readonly logLevel: LogLevel
}

/** Parses the command line of the gate's process. @throws {Fault} `usage` */
export function parseArguments(argv: readonly string[]): GateArguments {
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
    upstream: upstreamIn(values),
    allowedHosts: values["allowed-host"],
    notifyDirectory: values["notify-dir"],
    logLevel: values["log-requests"] ? "debug" : readLogLevel(),
  }
}

function upstreamIn(values: ReturnType<typeof parseOptions>): UpstreamSettings | null {
  const { upstream: baseUrl, "upstream-deadline-ms": deadline } = values
  if (baseUrl === undefined) return null
  if (!/^[1-9]\d{0,4}$/.test(deadline)) {
    throw new Fault("usage", "--upstream-deadline-ms must be a number from 1 to 99999.")
  }
  const { "upstream-ca": ca = null, "upstream-proxy": proxy = null } = values
  return { baseUrl, ca, proxy, deadlineMs: Number(deadline) }
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
        "upstream-ca": { type: "string" },
        "upstream-proxy": { type: "string" },
        "upstream-deadline-ms": { type: "string", default: String(gateLimits.upstreamTotalMs) },
        "allowed-host": { type: "string", multiple: true, default: [] },
        "notify-dir": { type: "string" },
        "log-requests": { type: "boolean", default: false },
      },
    }).values
  } catch (cause) {
    throw new Fault("usage", "The gate was started with an argument it doesn't know.", { cause })
  }
}
