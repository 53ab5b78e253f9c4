import { basename } from "node:path"

import { parseConfig, type Config } from "../../vault/config/config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { invalidFiles, readConfigText } from "../../vault/config/load-files.ts"

/** Loads countersign.yaml alone. @throws {Fault} `config_invalid`, `not_initialised`, `file_unsafe`. */
export async function loadConfig(installation: Installation): Promise<Config> {
  const { configFile } = pathsOf(installation)
  const read = parseConfig(await readConfigText(configFile), basename(configFile))
  if (read.ok) return read.value
  throw invalidFiles(read.error, installation)
}
