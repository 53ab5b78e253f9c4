import { readFile } from "node:fs/promises"
import { resolve } from "node:path"

import { Option, type Command } from "commander"

import { Fault } from "../std/fault.ts"
import { problemText } from "../std/yaml-file.ts"
import { readProfile } from "../venue/profile-file.ts"
import { createInstallation } from "../vault/create-installation.ts"
import { readSecretFile } from "../vault/keyring/read-secret-file.ts"
import {
  command,
  installationOf,
  runs,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "./command.ts"
import { configText, mainVenueText } from "./init-texts.ts"
import { askPassphrase } from "./passphrase.ts"
import { print, type Printing } from "./print.ts"
import { sandboxProfile, sandboxUrl } from "../sandbox/profile.ts"

type InitOptions = InstallationOptions &
  Printing & {
    readonly backend: "keystore" | "memory"
    readonly passphraseFile?: string
    readonly venue: string
    readonly upstream?: string
  }

const examplePolicy = new URL("../../policies/example.yaml", import.meta.url)

/** `countersign init` */
export function init(): Command {
  const made = command("init", "make a new installation, in which nothing is allowed yet")
    .addOption(
      new Option("--backend <kind>", "where keys rest: an encrypted keystore, or memory for trials")
        .choices(["keystore", "memory"])
        .default("keystore"),
    )
    .option(
      "--passphrase-file <file>",
      "holds the keystore's passphrase; its path is remembered, its content isn't",
    )
    .option("--venue <kind>", "main, sandbox, or a venue.yaml of your own", "main")
    .option("--upstream <url>", "the venue's base URL: https, or http on loopback")
  return runs<InitOptions>(withJson(withInstallation(made)), async (options) => {
    const installation = installationOf(options)
    const passphraseFile =
      options.passphraseFile === undefined ? undefined : resolve(options.passphraseFile)
    const venueText = await chooseVenue(options.venue, options.upstream)
    await createInstallation({
      installation,
      configText: configText(options.backend, passphraseFile),
      venueText,
      policyText: await readFile(examplePolicy, "utf8"),
      passphraseFile,
      passphrase: options.backend === "memory" ? undefined : await passphraseFrom(passphraseFile),
    })
    print(
      { config_dir: installation.configDir, state_dir: installation.stateDir },
      options,
      initLines,
    )
  })
}

function passphraseFrom(file: string | undefined): Promise<Uint8Array> {
  return file === undefined ? askPassphrase() : readSecretFile(file)
}

/** The text of venue.yaml, checked before anything is written. */
async function chooseVenue(venue: string, upstream: string | undefined): Promise<string> {
  const text = await venueText(venue, upstream)
  const profile = readProfile(text, venue === "main" || venue === "sandbox" ? "venue.yaml" : venue)
  if (profile.ok) return text
  throw new Fault("config_invalid", profile.error.map(problemText).join("\n"))
}

async function venueText(venue: string, upstream: string | undefined): Promise<string> {
  if (venue === "main") return mainVenueText(upstream)
  if (venue === "sandbox") return sandboxProfile({ url: upstream ?? sandboxUrl, asOf: new Date() })
  const text = await readFile(venue, "utf8").catch((cause: unknown) => {
    throw new Fault("usage", `--venue takes main, sandbox or a file, and ${venue} can't be read.`, {
      cause,
    })
  })
  if (upstream === undefined) return text
  if (/^base_url:/m.test(text)) {
    throw new Fault("usage", `${venue} has a base_url already; leave --upstream out, or remove it.`)
  }
  return `${text.trimEnd()}\nbase_url: ${JSON.stringify(upstream)}\n`
}

function initLines({ config_dir, state_dir }: { config_dir: string; state_dir: string }) {
  return [
    `Made ${config_dir}${state_dir === config_dir ? "" : ` and ${state_dir}`}. Nothing is allowed yet. Next:`,
    "  countersign keys import --name main --role wallet < key.hex",
    "  countersign keys generate --name mm --role agent --wallet main",
    "  countersign clients add bot --keys mm",
    "  write a rule in policies/example.yaml, then countersign policy check and countersign serve",
  ]
}
