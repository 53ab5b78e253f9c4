import { Fault } from "../std/fault.ts"
import type { Installation } from "../vault/config/installation.ts"
import { withSecret } from "../std/bytes.ts"
import { option } from "./cli/command.ts"
import { askPassphrase, readSecretOption } from "./cli/secret-option.ts"
import type { Terminal } from "./cli/terminal.ts"
import { adminCommand, installationCommand } from "./installation/installation-command.ts"
import { type Admin, loadConfig, withAdmin } from "./installation/admin.ts"

/** `countersign lock`: the daemon goes on answering, and signs nothing. */
export const lock = adminCommand({
  changes: "installation",
  description: "overwrite the keys in the daemon's memory until they are unlocked",
  examples: ["countersign lock"],
  call: (admin) => {
    assertRunning(admin)
    return admin.call("lock", {})
  },
  print: ({ curve }) => [
    `Locked: ${curve === "libsecp256k1" ? "no key is in memory." : leftByJavaScript} countersign unlock brings them back, and so does a restart of the daemon; countersign freeze lasts over a restart.`,
  ],
})

/** What noble makes of a key can't be overwritten. */
const leftByJavaScript =
  "the daemon can't use its keys, and copies of them may still be in its memory, since it signs in JavaScript; stop it to be rid of them."

/** @throws {Fault} `vault_unavailable` where no daemon has keys in memory. */
function assertRunning({ daemon }: Pick<Admin, "daemon">): void {
  if (daemon === "running") return
  throw new Fault(
    "vault_unavailable",
    "No daemon runs here, so no key is in memory; countersign serve starts one.",
  )
}

/** `countersign unlock`: loads the keys into the running daemon again. */
export const unlock = installationCommand({
  changes: "installation",
  description: "load the keys into the running daemon's memory again",
  examples: ["countersign unlock", "countersign unlock --passphrase-file /run/passphrase"],
  options: {
    passphraseFile: option(
      "--passphrase-file <file>",
      "holds the keystore's passphrase; without it, the daemon reads what countersign.yaml names, or you are asked",
    ),
  },
  answer: (installation, { passphraseFile }, terminal) =>
    withAdmin(installation, async (admin) => {
      assertRunning(admin)
      const secret = await (passphraseFile === undefined
        ? askedSecret(installation, terminal)
        : readSecretOption(passphraseFile, terminal))
      if (secret === undefined) return admin.call("unlock", {})
      return withSecret(secret, () => admin.call("unlock", { secret }))
    }),
  print: ({ keys, state }) => [
    `Unlocked: ${keys} keys are in memory.`,
    ...state.reasons.filter(({ code }) => code === "locked").map(({ message }) => message),
    ...(state.signs === "all" ? [] : [`The vault ${state.words}.`]),
  ],
})

/** `undefined` where the daemon has a file, a credential or a keychain of its own to open the store with. */
async function askedSecret(
  installation: Installation,
  terminal: Terminal,
): Promise<Uint8Array | undefined> {
  const { keystore } = await loadConfig(installation)
  const isAsked =
    keystore.backend === "keystore" &&
    keystore.passphraseFile === undefined &&
    keystore.credential === undefined
  return isAsked && terminal.prompts.canAsk() ? askPassphrase(terminal) : undefined
}
