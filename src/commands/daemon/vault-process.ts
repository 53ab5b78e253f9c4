import type { Installation } from "../../vault/config/installation.ts"
import { vaultMessages } from "../../vault/serve/vault-service.ts"
import { startChild } from "./child.ts"
import { vaultFlags } from "./vault-flags.ts"

/** Starts the vault. `input` is a passphrase that was typed. @throws {Fault} */
export function vaultProcess(
  {
    installation,
    strict,
    startedAgain = false,
  }: {
    readonly installation: Installation
    readonly strict?: boolean | undefined
    /** In the place of one that ended unasked. */
    readonly startedAgain?: boolean
  },
  secret: {
    readonly passphraseFile: string | undefined
    readonly input: Uint8Array | undefined
    readonly usesKeychain: boolean
    readonly signerDir: string
  },
) {
  const { configDir, stateDir } = installation
  const { passphraseFile, input, ...others } = secret
  return startChild({
    name: "vault",
    entry: "vault/main",
    nodeFlags: vaultFlags(installation, { passphraseFile, ...others }),
    args: [
      ...["--config-dir", configDir, "--state-dir", stateDir],
      ...(passphraseFile === undefined ? [] : ["--passphrase-file", passphraseFile]),
      ...(startedAgain ? ["--started-again"] : strict === true ? ["--strict"] : []),
    ],
    messages: vaultMessages,
    input,
  })
}
