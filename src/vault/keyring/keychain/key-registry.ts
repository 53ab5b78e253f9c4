import { readdir, rename, unlink } from "node:fs/promises"
import { join } from "node:path"

import * as z from "zod"

import { fromHex, toHex } from "../../../std/bytes.ts"
import { Fault } from "../../../std/fault.ts"
import { parseJson } from "../../../std/parse-json.ts"
import { textAs } from "../../../std/yaml-file.ts"
import { parseAddress, type Address } from "../../../venue/address.ts"
import {
  assertPrivateDirectory,
  codeOf,
  readPrivateText,
  writeNewFile,
} from "../../../std/private-file.ts"
import { keyName } from "../keyring.ts"
import type { KeychainDriver } from "./keychain.ts"

// A directory (0700) that says which of the keychain's items are ours. It has service-name, which is random and made
// once, so that two installations don't share items, and a <name>.json (0600) for each key. Nothing in it is secret,
// but someone who could change it could make us use another key.

/** Where a key's secret is in the keychain, and which key it must be. */
export type RegistryEntry = {
  readonly name: string
  readonly driver: KeychainDriver
  readonly service: string
  readonly account: string
  readonly address: Address
  /** `undefined` for a key from before public keys were stored. */
  readonly publicKey: Uint8Array | undefined
}

const servicePattern = /^countersign-[0-9a-f]{32}$/
const maxFileBytes = 4096

/** The file that names the keychain service. */
export function serviceFileOf(directory: string): string {
  return join(directory, "service-name")
}

/** The keychain service that this registry's new items belong to. @throws {Fault} `not_initialised`, `keystore_invalid`, `file_unsafe`. */
export async function readService(directory: string): Promise<string> {
  await assertPrivateDirectory(directory)
  const path = serviceFileOf(directory)
  const service = (await readPrivateText(path, maxFileBytes))?.trim()
  if (service === undefined) {
    throw new Fault("not_initialised", `${path} doesn't exist; restore it or run countersign init.`)
  }
  if (!servicePattern.test(service)) throw damaged(path)
  return service
}

/** The names of all keys, sorted. */
export async function readNames(directory: string): Promise<readonly string[]> {
  const files = await readdir(directory)
  return files
    .map(nameOf)
    .filter((name) => name !== undefined)
    .sort()
}

/** `undefined` where there is no key of this name. @throws {Fault} `keystore_invalid`, `file_unsafe`. */
export async function readEntry(
  directory: string,
  name: string,
): Promise<RegistryEntry | undefined> {
  return keyName.test(name) ? readEntryAt(pathOf(directory, name), name) : undefined
}

async function readEntryAt(path: string, name: string): Promise<RegistryEntry | undefined> {
  const text = await readPrivateText(path, maxFileBytes)
  if (text === undefined) return undefined
  const parsed = entrySchema.safeParse(parseJson(text))
  if (!parsed.success) throw damaged(path)
  return { name, ...parsed.data }
}

/** Durable when it resolves; `false` when the name is taken. */
export function writeEntry(
  directory: string,
  { name, publicKey, ...entry }: RegistryEntry & { readonly publicKey: Uint8Array },
) {
  const text = JSON.stringify({ version: 1, ...entry, public_key: toHex(publicKey) }, undefined, 2)
  return writeNewFile(pathOf(directory, name), text)
}

/** Like {@link readEntry}, but also finds a key whose removal was interrupted. */
export async function readEntryToRemove(
  directory: string,
  name: string,
): Promise<RegistryEntry | undefined> {
  return (await readEntry(directory, name)) ?? readEntryAt(removalOf(directory, name), name)
}

/** Begins a removal: from now on no key has this name, even if deleting the item fails. */
export async function beginRemoval(directory: string, name: string): Promise<void> {
  const removing = removalOf(directory, name)
  await orUnavailable(removing, () => rename(pathOf(directory, name), removing))
}

/** Ends a removal once the item is gone. A crash can bring the file back; then it is removed again. */
export async function endRemoval(directory: string, name: string): Promise<void> {
  const path = removalOf(directory, name)
  await orUnavailable(path, () => unlink(path))
}

/** A file that isn't there is as good as removed. */
async function orUnavailable(path: string, change: () => Promise<void>): Promise<void> {
  try {
    await change()
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return
    const message = `${path} can't be changed (${codeOf(cause) ?? "unknown error"}); check the directory's owner.`
    throw new Fault("keystore_unavailable", message, { cause })
  }
}

const entrySchema = z
  .strictObject({
    version: z.literal(1),
    driver: z.enum(["native", "keytar"]),
    service: z.string().regex(servicePattern),
    account: z.string().regex(keyName),
    address: textAs(parseAddress, "expected an address"),
    public_key: z
      .string()
      .regex(/^0x04[0-9a-f]{128}$/)
      .transform((text) => fromHex(text) ?? z.NEVER)
      .optional(),
  })
  .transform(({ public_key: publicKey, ...entry }) => ({ ...entry, publicKey }))

function nameOf(file: string): string | undefined {
  const name = /^(.*)\.json$/.exec(file)?.[1]
  return name !== undefined && keyName.test(name) ? name : undefined
}

function pathOf(directory: string, name: string): string {
  return join(directory, `${name}.json`)
}

/** Not a key's name any more, since those end in .json. */
function removalOf(directory: string, name: string): string {
  return join(directory, `${name}.removing`)
}

function damaged(path: string): Fault {
  return new Fault("keystore_invalid", `${path} is damaged; restore it from a backup.`)
}
