import { execFile } from "node:child_process"

import { keychainEnvironment } from "./keychain-flags.ts"

/** One method call on the session bus; all arguments are strings. */
export type BusCall = {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly method: string
  readonly strings: readonly string[]
}

/** The result of a call: its value as text, an error or no bus, a timeout, or no program to ask with. */
export type BusReply =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "failed" | "late" | "no_program" }

/**
 * Asks the session bus through a program that can be killed: systemd's `busctl`, or `dbus-send`. Takes at most
 * `limitMs`: the programs' own timeouts don't work for a service that is stopped (busctl 252 waits 25 s).
 */
export async function askBus(call: BusCall, limitMs: number): Promise<BusReply> {
  const reply = await run("busctl", busctlArguments(call), limitMs)
  return reply.kind === "no_program" ? run("dbus-send", dbusSendArguments(call), limitMs) : reply
}

function run(program: string, args: readonly string[], limitMs: number): Promise<BusReply> {
  const options = {
    env: keychainEnvironment(),
    timeout: Math.max(1, Math.ceil(limitMs)), // 0 would mean no limit
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024,
  } as const
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => {
      if (error === null) resolve({ kind: "value", value: valueIn(stdout) })
      else if (error.code === "ENOENT") resolve({ kind: "no_program" })
      else resolve({ kind: error.killed === true ? "late" : "failed" })
    })
  })
}

function busctlArguments({ destination, path, method, strings, ...call }: BusCall) {
  const signature = "s".repeat(strings.length)
  return ["--user", "call", destination, path, call.interface, method, signature, ...strings]
}

function dbusSendArguments({ destination, path, method, strings, ...call }: BusCall) {
  const args = strings.map((text) => `string:${text}`)
  const name = `${call.interface}.${method}`
  return ["--session", "--print-reply=literal", `--dest=${destination}`, path, name, ...args]
}

/** busctl prints `v b true`, `o "/"` and `s "a name"`, dbus-send `variant boolean true`, `/` and `a name`. */
function valueIn(output: string): string {
  const text = output.trim()
  const quoted = /"(.*)"$/.exec(text)?.[1]
  return quoted ?? text.replace(/^(?:v b|variant +boolean|boolean|b) +/, "")
}
