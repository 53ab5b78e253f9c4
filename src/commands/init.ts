import { readFile } from "node:fs/promises"
import { resolve } from "node:path"

import { sandboxProfile, sandboxUrl } from "../sandbox/profile.ts"
import { Fault } from "../std/fault.ts"
import { problemText } from "../std/yaml-file.ts"
import type { Installation } from "../vault/config/installation.ts"
import type { Profile } from "../venue/profile.ts"
import { parseProfile } from "../venue/profile/profile-file.ts"
import { choice, option, withDefault, type Given } from "./cli/command.ts"
import { askNewPassphrase, isPipe, readSecretOption } from "./cli/secret-option.ts"
import type { Terminal } from "./cli/terminal.ts"
import {
  chooseBackend,
  wantedKeychain,
  createInstallation,
  credentialLogN,
  type NewKeyStore,
} from "./init/create-installation.ts"
import {
  configText,
  mainVenueText,
  type KeystoreSettings,
  nextCommands,
  venueGaps,
} from "./init/init-texts.ts"
import { accountProblems } from "./installation/checked-files.ts"
import { installationCommand } from "./installation/installation-command.ts"

type Backend = KeystoreSettings["backend"]

const placeWords: Readonly<Record<Backend, string>> = {
  keychain: "the system's keychain",
  keystore: "an encrypted keystore",
  memory: "memory alone",
}

/** What `head -c 32 /dev/urandom` holds, also in base64. */
const minCredentialBytes = 32

const initOptions = {
  backend: choice(
    "--backend <kind>",
    "where keys rest: the system's keychain, an encrypted keystore, or memory for trials; left out, the keychain where it works",
    ["keychain", "keystore", "memory"],
  ),
  driver: withDefault(
    choice("--driver <kind>", "which library speaks to the keychain", ["native", "keytar"]),
    "native",
  ),
  passphraseFile: option(
    "--passphrase-file <file>",
    "holds the keystore's passphrase; its path is remembered, its content isn't, and of a pipe nothing is",
  ),
  credential: option(
    "--credential <name>",
    "the systemd credential that opens the keystore; its content now comes from --passphrase-file",
  ),
  venue: withDefault(
    option("--venue <kind>", "main, sandbox, or a venue.yaml of your own"),
    "main",
  ),
  upstream: option("--upstream <url>", "the venue's base URL: https, or http on loopback"),
}

type InitOptions = Given<typeof initOptions>

/** `countersign init` */
export const init = installationCommand({
  description: "make a new installation, in which nothing is allowed yet",
  examples: [
    "countersign init",
    "countersign init --dir ./trial --venue sandbox --backend memory",
    "countersign init --backend keystore --passphrase-file /run/countersign/passphrase",
  ],
  options: initOptions,
  answer: makeInstallation,
  json: ({ config_dir, state_dir, backend, why, missing }) => {
    return { config_dir, state_dir, backend, why, missing }
  },
  print: initLines,
})

async function makeInstallation(
  installation: Installation,
  options: InitOptions,
  terminal: Terminal,
): Promise<Made> {
  const { passphraseFile: file } = options
  // A pipe is gone by the next start.
  const passphraseFile = file === undefined || isPipe(file) ? undefined : resolve(file)
  const venue = await chooseVenue(options.venue, options.upstream)
  const { backend, why } = await placeForKeys(options)
  const keyStore = await newKeyStore(backend, options, terminal)
  await createInstallation({
    installation,
    configText: configText({ ...options, backend, passphraseFile }),
    venueText: venue.text,
    passphraseFile,
    keyStore,
  })
  const { configDir: config_dir, stateDir: state_dir } = installation
  const next = nextCommands({
    ...{ installation, profile: venue.profile, backend },
    ...{ isSandbox: options.venue === "sandbox", nowMs: Date.now() },
  })
  return { config_dir, state_dir, backend, why, missing: venueGaps(venue.profile), next }
}

type Place = { readonly backend: Backend; readonly why: string }

/** What was asked for; else what a passphrase asks for; else the keychain, where it works. */
async function placeForKeys(options: InitOptions): Promise<Place> {
  const { backend, driver, passphraseFile } = options
  if (backend === "keychain" && passphraseFile === undefined) return wantedKeychain(driver)
  if (backend !== undefined) return { backend, why: "--backend says so." }
  if (passphraseFile !== undefined)
    return { backend: "keystore", why: "--passphrase-file was given." }
  return chooseBackend(driver)
}

async function newKeyStore(
  backend: Backend,
  options: InitOptions,
  terminal: Terminal,
): Promise<NewKeyStore> {
  const { passphraseFile, credential } = options
  if (backend !== "keystore") {
    if (passphraseFile === undefined && credential === undefined) {
      return { kind: backend === "keychain" ? "keychain" : "nothing" }
    }
    throw new Fault(
      "usage",
      `A ${backend} has no passphrase; leave it out, or use --backend keystore.`,
    )
  }
  if (credential !== undefined) return keystoreUnderCredential(passphraseFile, terminal)
  const passphrase = await (passphraseFile === undefined
    ? askNewPassphrase(terminal)
    : readSecretOption(passphraseFile, terminal))
  return { kind: "keystore", passphrase }
}

/** Nobody can guess a random secret, so it needs no slow scrypt at every start. */
async function keystoreUnderCredential(
  file: string | undefined,
  terminal: Terminal,
): Promise<NewKeyStore> {
  if (file === undefined) {
    throw new Fault("usage", "--credential needs --passphrase-file with what the credential holds.")
  }
  const passphrase = await readSecretOption(file, terminal)
  if (passphrase.length >= minCredentialBytes) {
    return { kind: "keystore", passphrase, logN: credentialLogN }
  }
  passphrase.fill(0)
  throw new Fault(
    "usage",
    `A credential is random, of ${minCredentialBytes} bytes or more: head -c 32 /dev/urandom | base64 makes one.`,
  )
}

type Venue = { readonly text: string; readonly profile: Profile }

/** The text of venue.yaml, checked before anything is written. */
async function chooseVenue(venue: string, upstream: string | undefined): Promise<Venue> {
  const text = await venueText(venue, upstream)
  const name = venue === "main" || venue === "sandbox" ? "venue.yaml" : venue
  const profile = parseProfile(text, name)
  const problems = profile.ok ? accountProblems(text, name) : profile.error
  if (profile.ok && problems.length === 0) return { text, profile: profile.value }
  throw new Fault("config_invalid", problems.map(problemText).join("\n"))
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

type Made = Place & {
  readonly config_dir: string
  readonly state_dir: string
  /** Lines of venue.yaml. */
  readonly missing: readonly string[]
  readonly next: readonly string[]
}

function initLines({
  config_dir,
  state_dir,
  backend,
  why,
  missing,
  next,
}: Made): readonly string[] {
  const gaps = [`Missing in venue.yaml, from the venue's own documentation:`, ...indented(missing)]
  return [
    `Made ${config_dir}${state_dir === config_dir ? "" : ` and ${state_dir}`}.`,
    `Keys rest in ${placeWords[backend]}: ${why}`,
    ...(missing.length === 0 ? [] : gaps),
    "Nothing is allowed yet. Next:",
    ...indented(next),
  ]
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
