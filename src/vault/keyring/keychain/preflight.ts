import { execFile } from "node:child_process"

import { Fault } from "../../../std/fault.ts"

/** The state of the keychain before it is touched. */
export type KeychainState =
  "ready" | "locked" | "no_collection" | "no_service" | "no_bus" | "hangs" | "no_program"

/** How long a first look may take. */
const preflightLimitMs = 3_000

/**
 * Finds the state of the keychain within `limitMs`, without touching an item. On a locked keychain a library may say
 * "no such key", crash, or wait for a prompt that nobody sees.
 *
 * Asks the Secret Service on Linux; elsewhere the platform always has a keychain.
 */
export async function preflight(limitMs = preflightLimitMs): Promise<KeychainState> {
  if (process.platform !== "linux") return "ready"
  const ask = askWithin(limitMs)
  const reply = await askLocked(ask, "/org/freedesktop/secrets/aliases/default")
  const state = stateOf(reply) ?? (reply.kind === "late" ? "hangs" : await explainFailure(ask))
  return state === "locked" && (await isWalletOpen(ask)) ? "ready" : state
}

/**
 * Whether KeePassXC serves the secrets. It asks a person about each item, anew for each process, unless that is
 * switched off. `limitMs` is little: it has just answered.
 */
export async function isKeePassXc(limitMs = 1_000): Promise<boolean> {
  if (process.platform !== "linux") return false
  const ask = askWithin(limitMs)
  const owner = (name: string) => ask({ ...bus, method: "GetNameOwner", strings: [name] })
  const secrets = await owner(service)
  const window = await owner("org.keepassxc.KeePassXC.MainWindow")
  return secrets.kind === "value" && window.kind === "value" && secrets.value === window.value
}

function askWithin(limitMs: number): Ask {
  const endMs = performance.now() + limitMs
  return (call) => {
    const leftMs = endMs - performance.now()
    return leftMs <= 0 ? Promise.resolve({ kind: "late" }) : askBus(call, leftMs)
  }
}

/** @throws {Fault} `keychain_locked`, `keychain_unavailable`: unless `check` finds `ready`. */
export async function assertReady(check: typeof preflight, limitMs?: number): Promise<void> {
  const state = await check(limitMs)
  if (state !== "ready") throw new Fault(faults[state].code, faults[state].message)
}

const faults = {
  locked: {
    code: "keychain_locked",
    message:
      "The keychain is locked; unlock it (log in to the desktop; or in Seahorse, KWalletManager or KeePassXC; or start gnome-keyring-daemon with --unlock), then try again.",
  },
  no_collection: {
    code: "keychain_unavailable",
    message:
      "The keychain has no default collection; make one (in Seahorse or KWalletManager; in KeePassXC, open a database whose settings expose a group to the Secret Service; or start gnome-keyring-daemon with --unlock), then try again.",
  },
  no_service: {
    code: "keychain_unavailable",
    message:
      "No Secret Service runs on the session bus; start one (the desktop's own: gnome-keyring, KWallet, or KeePassXC with its Secret Service integration switched on), or keep the keys in a keystore.",
  },
  no_bus: {
    code: "keychain_unavailable",
    message:
      "There is no D-Bus session bus to reach the keychain by; run in a login session, set DBUS_SESSION_BUS_ADDRESS, or keep the keys in a keystore.",
  },
  hangs: {
    code: "keychain_unavailable",
    message:
      "The keychain doesn't answer; restart it (log in anew, or end and start gnome-keyring-daemon, kwalletd or KeePassXC), then try again.",
  },
  no_program: {
    code: "keychain_unavailable",
    message:
      "Neither busctl nor dbus-send is installed, so nothing can tell whether the keychain is locked; run: apt-get install dbus-bin",
  },
} as const

type Ask = (call: BusCall) => Promise<BusReply>

const service = "org.freedesktop.secrets"
const bus = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
} as const

function askLocked(ask: Ask, path: string): Promise<BusReply> {
  return ask({
    destination: service,
    path,
    interface: "org.freedesktop.DBus.Properties",
    method: "Get",
    strings: ["org.freedesktop.Secret.Collection", "Locked"],
  })
}

function stateOf(reply: BusReply): KeychainState | undefined {
  if (reply.kind === "no_program") return "no_program"
  if (reply.kind !== "value") return undefined
  return reply.value === "false" ? "ready" : "locked"
}

/** The bus itself knows whether there is a service, and the service whether there is a collection. */
async function explainFailure(ask: Ask): Promise<KeychainState> {
  const owned = await ask({ ...bus, method: "NameHasOwner", strings: [service] })
  if (owned.kind !== "value") return owned.kind === "late" ? "hangs" : "no_bus"
  if (owned.value !== "true") return "no_service"
  const alias = await ask({
    destination: service,
    path: "/org/freedesktop/secrets",
    interface: "org.freedesktop.Secret.Service",
    method: "ReadAlias",
    strings: ["default"],
  })
  if (alias.kind !== "value") return "hangs"
  return alias.value === "/" ? "no_collection" : lockedAt(ask, alias.value)
}

/** For a Secret Service that doesn't show a collection under its alias. */
async function lockedAt(ask: Ask, path: string): Promise<KeychainState> {
  const reply = await askLocked(ask, path)
  return stateOf(reply) ?? (reply.kind === "late" ? "hangs" : "no_collection")
}

/**
 * KWallet calls a wallet locked that the login opened, until a client has gone through a prompt, which asks nobody
 * then. It is asked by the name that serves the secrets: no other program answers, and none is started.
 */
async function isWalletOpen(ask: Ask): Promise<boolean> {
  for (const version of [5, 6]) {
    const path = `/modules/kwalletd${version}`
    const wallet = { destination: service, path, interface: "org.kde.KWallet" } as const
    const name = await ask({ ...wallet, method: "localWallet", strings: [] })
    if (name.kind !== "value") continue
    const open = await ask({ ...wallet, method: "isOpen", strings: [name.value] })
    return open.kind === "value" && open.value === "true"
  }
  return false
}

/** One method call on the session bus; all arguments are strings. */
type BusCall = {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly method: string
  readonly strings: readonly string[]
}

/** The result of a call: its value as text, an error or no bus, a timeout, or no program to ask with. */
type BusReply =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "failed" | "late" | "no_program" }

/**
 * Asks the session bus through a program that can be killed: systemd's `busctl`, or `dbus-send`. Takes at most
 * `limitMs`: the programs' own timeouts don't work for a service that is stopped (busctl 252 waits 25 s).
 */
async function askBus(call: BusCall, limitMs: number): Promise<BusReply> {
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

/** Only the variables that say where the bus is. NODE_OPTIONS and others could load other code. */
export function keychainEnvironment(): NodeJS.ProcessEnv {
  const names = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME", "PATH", "USER", "LOGNAME"]
  const kept = names.map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined))
}
