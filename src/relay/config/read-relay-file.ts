import { dirname, isAbsolute, join, resolve } from "node:path"

import { Fault } from "../../std/fault.ts"
import { parseYaml, problemText, type YamlPath } from "../../std/yaml-file.ts"
import { readText } from "./read-text.ts"
import { relayConfig, type Server } from "./relay-config.ts"

/** What relay.yaml says, with absolute paths, and what says where in it. */
export type RelayFile = {
  readonly servers: readonly Server[]
  readonly ca: string
  readonly certificate: string
  readonly key: string
  /** Whether the key is a credential of systemd's. */
  readonly isCredential: boolean
  /** What can't be used of what `path` names: the file, the line and the sentence. */
  readonly mistake: (path: YamlPath, message: string) => Fault
}

/** @throws {Fault} `config_invalid`, with every mistake on a line of its own. */
export async function readRelayFile(file: string): Promise<RelayFile> {
  const text = await readText(file)
  if (!text.ok) throw new Fault("config_invalid", `${file} ${text.error}`)
  const read = parseYaml(text.value, file, relayConfig)
  if (!read.ok) throw new Fault("config_invalid", read.error.map(problemText).join("\n"))
  const { value: written, placeOf } = read.value
  const mistake = (path: YamlPath, message: string): Fault =>
    new Fault("config_invalid", problemText({ file, ...placeOf(path), message }))
  const absolute = (path: string): string => resolve(dirname(file), path)
  return {
    servers: written.servers,
    ca: absolute(written.ca),
    certificate: absolute(written.certificate),
    key:
      written.key === undefined
        ? credentialFile(written.credential, mistake)
        : absolute(written.key),
    isCredential: written.key === undefined,
    mistake,
  }
}

/** Where systemd has put the credential. @throws {Fault} `config_invalid` where it gave none. */
function credentialFile(name = "", mistake: RelayFile["mistake"]): string {
  const directory = process.env["CREDENTIALS_DIRECTORY"]
  if (directory !== undefined && isAbsolute(directory)) return join(directory, name)
  throw mistake(
    ["credential"],
    `systemd gave this process no credential; start the unit that has LoadCredentialEncrypted=${name}:…, or name a file as key`,
  )
}
