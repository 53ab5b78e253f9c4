import { createHash } from "node:crypto"

import { err, ok, type Result } from "../../std/result.ts"
import type { Problem } from "../../std/yaml-file.ts"
import type { Profile } from "../../venue/profile.ts"
import { parseProfile } from "../../venue/profile/profile-file.ts"
import { parsePolicies } from "../policy/file/policy-file.ts"
import type { Policy } from "../policy/terms.ts"
import { type Config, parseConfig } from "./config.ts"

/** A configuration file's content. `name` starts at the configuration directory: a refusal tells bots no path of this machine. */
export type FileText = { readonly name: string; readonly text: string }

/** What the files say, and the hash that names them wherever they are meant. */
export type FileSet = {
  readonly config: Config
  readonly profile: Profile
  readonly policies: readonly Policy[]
  /** The files themselves, so that a set can be run again. */
  readonly texts: readonly FileText[]
  /** SHA-256 over names and bytes, hex; a record's says which set judged it. */
  readonly policyHash: string
}

const configName = "countersign.yaml"
const venueName = "venue.yaml"

/**
 * Parses a set of configuration files as one: all of them, or every problem of all of them. Policies are
 * read against the profile, so their problems show once venue.yaml has none.
 */
export function parseFileSet(texts: readonly FileText[]): Result<FileSet, readonly Problem[]> {
  const config = parseConfig(textOf(texts, configName), configName)
  const profile = parseProfile(textOf(texts, venueName), venueName)
  const policies = profile.ok ? parsePolicies(policyTexts(texts), profile.value) : undefined
  if (config.ok && profile.ok && policies?.ok === true) {
    return ok({
      config: config.value,
      profile: profile.value,
      policies: policies.value,
      texts,
      policyHash: hashTexts(texts),
    })
  }
  const problems = [config, profile, policies].map((read) =>
    read === undefined || read.ok ? [] : read.error,
  )
  return err(problems.flat())
}

function textOf(texts: readonly FileText[], wanted: string): string {
  return texts.find(({ name }) => name === wanted)?.text ?? ""
}

function policyTexts(texts: readonly FileText[]) {
  return texts
    .filter(({ name }) => name !== configName && name !== venueName)
    .map(({ name, text }) => ({ file: name, text }))
}

/** Over file names and texts, each with its length, so that no two sets share one encoding. */
export function hashTexts(texts: readonly FileText[]): string {
  const hash = createHash("sha256")
  for (const { name, text } of texts) {
    hash.update(`${name.length}:${name}:${Buffer.byteLength(text)}:`).update(text, "utf8")
  }
  return hash.digest("hex")
}
