import { spawnSync } from "node:child_process"
import { lstatSync, readFileSync, type Stats } from "node:fs"

import { Fault } from "../../std/fault.ts"

// Where the parts of the system service lie. The units in systemd/ say the same.

/** Whose the installation is. */
export const vaultUser = "countersign-vault"

/** The installation that the units run. */
export const systemInstallation = {
  configDir: "/etc/countersign",
  stateDir: "/var/lib/countersign",
} as const
export const signerDir = "/var/lib/signers-of-countersign"

/** All that is the vault's, and that no uninstall removes. */
export const vaultDirectories: readonly string[] = [
  systemInstallation.configDir,
  systemInstallation.stateDir,
  signerDir,
]

/** The systemd credential that opens the keystore. */
export const credentialName = "countersign-key"
export const credentialFile = `${systemInstallation.configDir}/${credentialName}.cred`

/** Starts, stops and enables everything, sockets included. */
export const target = "countersign.target"

/**
 * Both services, as words for systemctl; the sockets stay open while these are started anew. systemctl asks for one
 * after the other, and the gate, which is stopped first, is to be known of by then.
 */
export const services = "countersign-gate countersign-vault"

/** Private files of the gate's user, with the addresses and secrets of `notify`. */
export const gateNotifyDir = "/etc/countersign-gate"

/** The relay's user's: relay.yaml, without which neither the relay nor its socket is started, and what that names. */
export const relayDir = "/etc/countersign-relay"

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** The machine that the service is installed on. */
export type System = {
  /** Stands before every path; empty but in tests. */
  readonly root: string
  /** Runs one of its programs to the end. `input` is its standard input. */
  run(program: string, args: readonly string[], input?: Uint8Array): Ran
}

/** Stopping a unit may take as long as it is given to finish: 90 s, unless the unit says otherwise. */
const longestRunMs = 180_000

/** This machine. */
export const thisSystem: System = {
  root: "",
  run(program, args, input) {
    const { status, stdout, stderr, error } = spawnSync(program, args, {
      ...(input !== undefined && { input }),
      encoding: "utf8",
      timeout: longestRunMs,
    })
    if (error === undefined) return { code: status ?? -1, stdout, stderr }
    throw new Fault("install_failed", `${program} can't be run: ${error.message}.`, {
      cause: error,
    })
  },
}

/** Runs a program that has to succeed. @throws {Fault} `install_failed` with what it said. */
export function runOrFail(
  system: System,
  [program = "", ...args]: readonly string[],
  input?: Uint8Array,
): string {
  const { code, stdout, stderr } = system.run(program, args, input)
  if (code === 0) return stdout
  const said = stderr.trim().split("\n").join(" ")
  throw new Fault("install_failed", `${program} ended with ${code}: ${said}`)
}

/** A path's own status, a link's not its target's; `"hidden"` where this user may not look. */
export function statusOf(system: System, path: string): Stats | "hidden" | undefined {
  try {
    return lstatSync(`${system.root}${path}`, { throwIfNoEntry: false })
  } catch {
    return "hidden"
  }
}

/** A file's text; `undefined` where there is none, or where this user may not read it. */
export function textOf(system: System, path: string): string | undefined {
  try {
    return readFileSync(`${system.root}${path}`, "utf8")
  } catch {
    return undefined
  }
}

/** The uid and gid of a user; `undefined` where there is no such user. */
export function identityOf(
  system: System,
  user: string,
): { readonly uid: number; readonly gid: number } | undefined {
  const { code, stdout } = system.run("getent", ["passwd", user])
  // passwd(5): name:password:uid:gid:…
  const [, , uid, gid] = stdout.split(":")
  return code === 0 ? { uid: Number(uid), gid: Number(gid) } : undefined
}
