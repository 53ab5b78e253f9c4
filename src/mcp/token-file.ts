import { isAbsolute } from "node:path"

import { Fault } from "../std/fault.ts"
import { readPrivateText } from "../std/private-file.ts"

const maxBytes = 1_024
const tokenPattern = /^cs_[A-Za-z0-9_-]{32,125}$/

/**
 * The token in a file that is its reader's alone. What a path is relative to is up to the program that starts a server
 * of tools, so it must be absolute.
 *
 * @throws {Fault} without a word of what is in the file.
 */
export async function readToken(file: string): Promise<string> {
  if (!isAbsolute(file)) throw new Fault("usage", "--token-file takes an absolute path.")
  const text = await readPrivateText(file, maxBytes)
  if (text === undefined) throw new Fault("usage", `${file} doesn't exist.`)
  const token = text.trim()
  if (tokenPattern.test(token)) return token
  throw new Fault(
    "config_invalid",
    `${file} must hold one token, as countersign clients add printed it, and nothing else.`,
  )
}
