import { join } from "node:path"

/** The two directories that hold everything; `--dir` makes them one. Absolute paths. */
export type Installation = { readonly configDir: string; readonly stateDir: string }

/** Where each part of an installation lies. */
export function pathsOf({ configDir, stateDir }: Installation) {
  return {
    configFile: join(configDir, "countersign.yaml"),
    venueFile: join(configDir, "venue.yaml"),
    policiesDir: join(configDir, "policies"),
    ledgerFile: join(stateDir, "ledger.db"),
    keystoreDir: join(stateDir, "keystore"),
    adminSecretFile: join(stateDir, "admin.secret"),
    botSocket: join(stateDir, "bot.sock"),
    adminSocket: join(stateDir, "admin.sock"),
  } as const
}
