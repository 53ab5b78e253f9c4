import { join } from "node:path"

import { Fault } from "../std/fault.ts"

/** The two directories that hold everything; `--dir` makes them one. Absolute paths. */
export type Installation = { readonly configDir: string; readonly stateDir: string }

/** Where each part of an installation lies. */
export function pathsOf({ configDir, stateDir }: Installation) {
  return {
    configFile: join(configDir, "countersign.yaml"),
    venueFile: join(configDir, "venue.yaml"),
    policiesDir: join(configDir, "policies"),
    ledgerFile: join(stateDir, "ledger.db"),
    ledgerKeyFile: join(stateDir, "ledger.key"),
    archiveDir: join(stateDir, "archive"),
    keystoreDir: join(stateDir, "keystore"),
    keychainDir: join(stateDir, "keychain"),
    adminSecretFile: join(stateDir, "admin.secret"),
    botSocket: join(stateDir, "bot.sock"),
    adminSocket: join(stateDir, "admin.sock"),
  } as const
}

// sun_path of Linux's sockaddr_un holds 108 bytes with the final zero (unix(7)).
const maxSocketPathBytes = 107

/** @throws {Fault} `config_invalid` when the state directory's path is too long for the sockets in it. */
export function assertSocketPathsFit(installation: Installation): void {
  const { botSocket, adminSocket } = pathsOf(installation)
  const bytesOver =
    Math.max(...[botSocket, adminSocket].map((path) => Buffer.byteLength(path))) -
    maxSocketPathBytes
  if (bytesOver <= 0) return
  throw new Fault(
    "config_invalid",
    `${installation.stateDir} is too long a path for the sockets in it; choose a state directory whose path is ${bytesOver} bytes shorter.`,
  )
}
