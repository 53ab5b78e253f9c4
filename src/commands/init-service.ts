import { resolve } from "node:path"

import { command } from "./cli/command.ts"
import { choice, option } from "./cli/options.ts"
import { print } from "./cli/print.ts"
import { jsonOption } from "./installation/installation-command.ts"
import {
  assertNewInstallation,
  makeSystemInstallation,
} from "./service/make-system-installation.ts"
import { assertServiceable } from "./service/assert-serviceable.ts"
import { credentialFile, systemInstallation, target } from "./service/layout.ts"
import { thisSystem } from "./service/system.ts"

/** `countersign init-service`: what the services start with, whatever has installed them. */
export const initService = command({
  description: "make the services' installation, with a keystore under a new random secret",
  examples: [
    "countersign init-service",
    "countersign init-service --copy-secret-to /run/countersign-key",
  ],
  options: {
    withKey: choice(
      "--with-key <kind>",
      "what encrypts the secret that opens the keystore (default: auto)",
      ["auto", "host", "tpm2", "host+tpm2"],
    ),
    copySecretTo: option(
      "--copy-secret-to <file>",
      "also write that secret to a new file; keep it offline: a restore on another machine needs it",
    ),
    ...jsonOption,
  },
  run: async ({ withKey = "auto", copySecretTo, json }, terminal) => {
    assertServiceable(thisSystem)
    assertNewInstallation(thisSystem)
    const copyTo = copySecretTo === undefined ? undefined : resolve(copySecretTo)
    await makeSystemInstallation(thisSystem, { withKey, copyTo })
    const { configDir: config_dir, stateDir: state_dir } = systemInstallation
    const answer = { config_dir, state_dir, credential: credentialFile, next: nextCommands }
    print(answer, { terminal, json }, ({ next }) => [
      `Made ${config_dir}, in which nothing is allowed yet, and ${state_dir}.`,
      `A new random secret opens the keystore. ${credentialFile} has it, encrypted for this machine.`,
      ...(copyTo === undefined ? [] : copyLines(copyTo)),
      "Next:",
      ...next.map((line) => `  ${line}`),
    ])
    return 0
  },
})

function copyLines(path: string): readonly string[] {
  return [
    `${path} has it too. Keep that offline, apart from all backups, and remove it here: when this machine`,
    "is gone, the backup of the keystore opens with it alone (docs/headless.md).",
  ]
}

const nextCommands: readonly string[] = [
  // systemctl comes back with 0 though a unit of the target has failed.
  `systemctl enable --now ${target}`,
  "countersign status",
  "countersign keys generate --name main --role wallet",
  "countersign keys generate --name mm --role agent --wallet main",
  "countersign clients add bot --keys mm",
  "write a rule into /etc/countersign/policies, then countersign policy reload",
  "countersign doctor --live   # tells what is missing for the real venue",
]
