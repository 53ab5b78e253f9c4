import { Fault } from "../../std/fault.ts"
import type { FileSet } from "../../vault/config/file-set.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { shellWord } from "../cli/shell-word.ts"
import { venueWarnings } from "../policy/venue-warnings.ts"
import { fail, failureOf, ok, warn, type Finding } from "./finding.ts"

export type Files =
  | { readonly kind: "valid"; readonly files: FileSet }
  | { readonly kind: "broken"; readonly error: unknown }

/** Whether countersign.yaml, venue.yaml and the policies can be used; a finding for every mistake in them. */
export function fileFindings(files: Files, installation: Installation): readonly Finding[] {
  if (files.kind === "broken") return brokenFindings(files.error, installation)
  const { policies, profile } = files.files
  const valid = ok("files", `All files in ${installation.configDir} are valid.`)
  const found = [valid, ...warningFindings(venueWarnings(profile))]
  if (policies.some(({ rules }) => rules.length > 0)) return found
  const { policiesDir } = pathsOf(installation)
  const write = `write a rule into a file in ${shellWord(policiesDir)}, then run: countersign policy check`
  return [...found, warn("policy", "No policy has a rule, so nothing is allowed.", write)]
}

/** What somebody should know of policies and keys though it is allowed. */
export function warningFindings(warnings: readonly string[]): readonly Finding[] {
  return warnings.map((warning) => {
    const check = warning.startsWith("The venue's clock") ? "clock" : "policy"
    return warn(check, warning, mendOf(warning))
  })
}

function brokenFindings(error: unknown, installation: Installation): readonly Finding[] {
  const where = locationWords(installation)
  if (!(error instanceof Fault)) return [failureOf("files", error, "countersign policy check")]
  if (error.code === "not_initialised") {
    return [fail("files", error.message, `countersign init ${where}`)]
  }
  if (error.code !== "config_invalid") {
    return [failureOf("files", error, `countersign policy check ${where}`)]
  }
  const mend = `edit it, then run: countersign policy check ${where}`
  return error.message.split("\n").map((line) => fail("files", line, mend))
}

/** The options that name an installation. */
export function locationWords({ configDir, stateDir }: Installation): string {
  return configDir === stateDir
    ? `--dir ${shellWord(configDir)}`
    : `--config-dir ${shellWord(configDir)} --state-dir ${shellWord(stateDir)}`
}

/** A warning's sentence names the command or the file. */
function mendOf(warning: string): string {
  const command =
    /\btimedatectl [a-z-]+ true|\bcountersign [a-z]+(?: [a-z]+)?(?: [a-z0-9][a-z0-9._-]*[a-z0-9])?/.exec(
      warning,
    )
  if (command !== null) return command[0]
  const agent = /agent key ([a-z0-9][a-z0-9._-]*)/.exec(warning)?.[1]
  if (agent !== undefined) return `countersign agent approve ${agent}`
  return "change what the sentence names, then run: countersign policy check"
}
