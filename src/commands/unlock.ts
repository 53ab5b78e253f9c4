import type { Command } from "commander"

import { withSecret } from "../vault/keyring/with-secret.ts"
import { readSecretFile } from "../vault/keyring/read-secret-file.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "./command.ts"
import { assertRunning } from "./lock.ts"
import { askPassphrase } from "./passphrase.ts"
import { print, type Printing } from "./print.ts"
import { isOnTerminal } from "./prompts.ts"
import { withVault, type Admin } from "./with-vault.ts"
import { loadConfig } from "../vault/load-files.ts"

type UnlockOptions = InstallationOptions & Printing & { readonly passphraseFile?: string }

/** `countersign unlock`: loads the keys into the running daemon again. */
export function unlock(): Command {
  const made = command("unlock", "load the keys into the running daemon's memory again").option(
    "--passphrase-file <file>",
    "holds the keystore's passphrase; without it, the daemon reads what countersign.yaml names, or you are asked",
  )
  withExamples(made, "countersign unlock", "countersign unlock --passphrase-file /run/passphrase")
  return runs<UnlockOptions>(withJson(withInstallation(made)), async (options) => {
    const access = { installation: installationOf(options), keys: "not_needed" } as const
    const answer = await withVault(access, async (admin) => {
      assertRunning(admin)
      return unlockBy(admin, options)
    })
    print(answer, options, ({ keys }) => [`Unlocked: ${keys} keys are in memory.`])
  })
}

async function unlockBy(admin: Admin, options: UnlockOptions) {
  const secret = await secretFor(options)
  if (secret === undefined) return admin.call("unlock", {})
  return withSecret(secret, (bytes) =>
    admin.call("unlock", { secret: Buffer.from(bytes).toString("base64") }),
  )
}

/** `undefined` where the daemon has a file, a credential or a keychain of its own to open the store with. */
async function secretFor(options: UnlockOptions): Promise<Uint8Array | undefined> {
  if (options.passphraseFile !== undefined) return readSecretFile(options.passphraseFile)
  const { keystore } = await loadConfig(installationOf(options))
  const isAsked =
    keystore.backend === "keystore" &&
    keystore.passphraseFile === undefined &&
    keystore.credential === undefined
  return isAsked && isOnTerminal() ? askPassphrase() : undefined
}
