import type { Config } from "../../vault/config/config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { loadFiles, readConfigFile } from "../../vault/config/load-files.ts"
import { secretFileOf } from "../../vault/custody/secret-file-of.ts"
import { parseProfile } from "../../venue/profile/profile-file.ts"
import { loadConfig } from "../installation/load-config.ts"
import { lookAtDaemon, type DaemonLook } from "./daemon-findings.ts"
import type { Files } from "./file-findings.ts"
import { listEntries, type Entries } from "./list-entries.ts"

/** What several checks need of an installation. A file that can't be used hides no other. */
export type Known = {
  readonly installation: Installation
  readonly files: Files
  /** countersign.yaml, where at least that can be used. */
  readonly config: Config | undefined
  /** venue.yaml's, where at least that can be used. */
  readonly venue: { readonly baseUrl: string | undefined } | undefined
  readonly daemon: DaemonLook
  readonly listed: Entries
}

/** Reads what can be read of an installation. */
export async function whatIsKnown(installation: Installation): Promise<Known> {
  const [files, config, venue, daemon] = await Promise.all([
    readFiles(installation),
    loadConfig(installation).catch(() => undefined), // why not, `files` tells
    readVenue(installation),
    lookAtDaemon(installation),
  ])
  const listed = await listEntries(installation, config && secretFileIn(config))
  return { installation, files, config, venue, daemon, listed }
}

async function readFiles(installation: Installation): Promise<Files> {
  return loadFiles(installation).then(
    (files) => ({ kind: "valid", files }),
    (error: unknown) => ({ kind: "broken", error }),
  )
}

async function readVenue(installation: Installation): Promise<Known["venue"]> {
  try {
    const { venueFile } = pathsOf(installation)
    const text = new TextDecoder().decode(await readConfigFile(venueFile))
    const profile = parseProfile(text, venueFile)
    return profile.ok ? { baseUrl: profile.value.baseUrl } : undefined
  } catch {
    return undefined // why not, `files` tells
  }
}

/** A credential's file is there for its unit alone. */
function secretFileIn(config: Config): string | undefined {
  const isGiven = process.env["CREDENTIALS_DIRECTORY"] !== undefined
  const { passphraseFile, credential } = config.keystore
  return credential === undefined || isGiven ? secretFileOf(config, undefined) : passphraseFile
}
