import type { Warning } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import type { FileSet } from "../../vault/config/load-files.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { shellWord } from "../../std/visible.ts"
import { venueWarnings } from "../policy/file-warnings.ts"
import { fixHere, locationWords } from "../installation/usual-installation.ts"
import { fail, failureOf, ok, warn, type Finding } from "./finding.ts"

export type Files =
  | { readonly kind: "valid"; readonly files: FileSet }
  | { readonly kind: "broken"; readonly error: unknown }

/** Whether countersign.yaml, venue.yaml and the policies can be used; a finding for every mistake in them. */
export function fileFindings(files: Files, installation: Installation): readonly Finding[] {
  if (files.kind === "broken") return brokenFindings(files.error, installation)
  const { policies, profile } = files.files
  const valid = ok("files", `All files in ${installation.configDir} are valid.`)
  const found = [valid, ...warningFindings(venueWarnings(profile), installation)]
  if (policies.some(({ rules }) => rules.length > 0)) return found
  const { policiesDir } = pathsOf(installation)
  const write = `write a rule into a file in ${shellWord(policiesDir)}, then run: countersign policy check ${locationWords(installation)}`
  return [...found, warn("policy", "No policy has a rule, so nothing is allowed.", write)]
}

/** What somebody should know of policies and keys though it is allowed. */
export function warningFindings(
  warnings: readonly Warning[],
  installation: Installation,
): readonly Finding[] {
  return warnings.map(({ message, fix }) => warn("policy", message, fixHere(fix, installation)))
}

function brokenFindings(error: unknown, installation: Installation): readonly Finding[] {
  const where = locationWords(installation)
  if (!(error instanceof Fault) || !["not_initialised", "config_invalid"].includes(error.code)) {
    return [failureOf("files", error, `countersign policy check ${where}`)]
  }
  if (error.code === "not_initialised") {
    return [fail("files", error.message, `countersign init ${where}`)]
  }
  const fix = `edit it, then run: countersign policy check ${where}`
  return error.message.split("\n").map((line) => fail("files", line, fix))
}
