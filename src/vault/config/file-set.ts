import type { Profile } from "../../venue/profile.ts"
import type { Policy } from "../policy/terms/policy.ts"
import type { Config } from "./config.ts"

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
