import { X509Certificate } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { createSecureContext, type SecureContext } from "node:tls"
import { isIPv6 } from "node:net"

import * as z from "zod"

import { decodeUtf8 } from "../std/bytes.ts"
import { Fault } from "../std/fault.ts"
import { codeOf, readPrivateFile } from "../std/private-file.ts"
import { err, type Result } from "../std/result.ts"
import { parseYaml, problemText, type YamlPath } from "../std/yaml-file.ts"

export type RelaySettings = {
  readonly servers: readonly Server[]
  /** TLS 1.3 with this host's certificate, which trusts the given authority alone. */
  readonly secureContext: SecureContext
}

const maxKeyBytes = 65_536

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Reads relay.yaml and the files that it names.
 *
 * @throws {Fault} `config_invalid` with file, line and what to do; `file_unsafe` when others can read the key.
 */
export async function loadRelay(configFile: string): Promise<RelaySettings> {
  const file = await readRelayFile(configFile)
  const ca = await readCertificates(file, "ca")
  const cert = await readCertificates(file, "certificate")
  return { servers: file.servers, secureContext: await withKey(file, { ca, cert }) }
}

/** OpenSSL passes over what is no certificate, and would in the end trust nobody. */
async function readCertificates(file: RelayFile, what: "ca" | "certificate"): Promise<string> {
  const path = file[what]
  const text = await readText(path)
  if (!text.ok) throw file.mistake([what], `${path} ${text.error}`)
  if (text.value.includes("PRIVATE KEY")) {
    throw file.mistake([what], `${path} has a private key in it; put that into a file of its own`)
  }
  const blocks = text.value.match(certificate) ?? []
  const begun = text.value.split("-----BEGIN ").length - 1
  if (blocks.length === 0 || blocks.length !== begun || !blocks.every(isCertificate)) {
    throw file.mistake(
      [what],
      `${path} must hold certificates in PEM, and nothing else but comments`,
    )
  }
  return text.value
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

async function withKey(
  file: RelayFile,
  given: { readonly ca: string; readonly cert: string },
): Promise<SecureContext> {
  const place = [file.isCredential ? "credential" : "key"]
  const key = await readPrivateFile(file.key, maxKeyBytes)
  if (key === undefined) throw file.mistake(place, `${file.key} doesn't exist`)
  try {
    return createSecureContext({ ...given, key: Buffer.from(key.buffer), minVersion: "TLSv1.3" })
  } catch (error) {
    throw file.mistake(place, `${file.key} ${whyNotTaken(error)}`)
  } finally {
    key.fill(0)
  }
}

function whyNotTaken(error: unknown): string {
  const isOther = (error as NodeJS.ErrnoException).code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
  return isOther
    ? "isn't the key of the certificate above"
    : "must hold the certificate's key in PEM, without a passphrase"
}

/** What relay.yaml says, with absolute paths, and what says where in it. */
type RelayFile = {
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

/** Some twenty certificates, and far more than any relay.yaml. */
const maxBytes = 65_536

/** Reads a file that isn't secret. The error follows the file's name in a sentence. */
async function readText(file: string): Promise<Result<string, string>> {
  const handle = await openFile(file)
  if (typeof handle === "string") return err(handle)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return err("isn't a regular file")
    if (stats.size > maxBytes) return err("is larger than 64 KiB; check that it's the right file")
    const text = decodeUtf8(await handle.readFile())
    return text.ok ? text : err("isn't UTF-8 text")
  } finally {
    await handle.close()
  }
}

async function openFile(file: string): Promise<FileHandle | string> {
  try {
    // O_NONBLOCK: opening a FIFO that nobody writes to would otherwise wait for ever.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT") return "doesn't exist"
    return `can't be read by this user (${code ?? "unknown error"})`
  }
}

/** A PostgreSQL server as relay.yaml names it. */
export type Server = {
  /** What the vault, the log and people call it. */
  readonly name: string
  /** A host's name or an IP address, without brackets. */
  readonly host: string
  readonly port: number
}

/** The vault picks one of them; a ledger has a primary and a few standbys. */
const maxServers = 8

const addressForm = "expected host:port, such as db1.internal:5432 or [2001:db8::1]:5432"
const addressPattern = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]{1,253})):([1-9]\d{0,4})$/

const address = z.string(addressForm).transform((text, context) => {
  const [, bracketed, name = bracketed, port] = addressPattern.exec(text) ?? []
  const isHost = name !== undefined && (bracketed === undefined || isIPv6(bracketed))
  if (isHost && Number(port) <= 65_535) return { host: name, port: Number(port) }
  context.addIssue(addressForm)
  return z.NEVER
})

const server = z.strictObject(
  {
    name: z
      .string("expected a name, such as db1")
      .regex(/^[a-z0-9-]{1,32}$/, "expected 1 to 32 lower-case letters, digits and hyphens"),
    address,
  },
  {
    error: (issue) =>
      issue.code === "invalid_type" ? "expected {name: …, address: …}" : undefined,
  },
)

const serversForm = `expected a list of one to ${maxServers} servers`

const servers = z
  .array(server, serversForm)
  .min(1, serversForm)
  .max(maxServers, serversForm)
  .superRefine((written, context) => {
    for (const [index, { name, address }] of written.entries()) {
      const before = written.slice(0, index)
      if (before.some((each) => each.name === name)) {
        context.addIssue({
          code: "custom",
          path: [index, "name"],
          message: `another server is called ${name}; each needs a name of its own`,
        })
      }
      const same = before.find((each) => textOf(each.address) === textOf(address))
      if (same === undefined) continue
      context.addIssue({
        code: "custom",
        path: [index, "address"],
        message: `${same.name} has this address already; name each server once`,
      })
    }
  })
  .transform((written) => written.map(({ name, address }): Server => ({ name, ...address })))

const path = (what: string) => z.string(`expected the path of ${what}`).min(1)

/** What stands in relay.yaml. Paths are as written there. */
const relayConfig = z
  .strictObject({
    servers,
    ca: path("the authority's certificates"),
    certificate: path("this host's certificate"),
    key: path("the certificate's key").optional(),
    credential: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "expected the name of a systemd credential")
      .optional(),
  })
  .superRefine(({ key, credential }, context) => {
    if ((key === undefined) !== (credential === undefined)) return
    const message =
      key === undefined
        ? "the certificate's key is missing; name its file as key, or a systemd credential as credential"
        : "the certificate has one key; leave key or credential out"
    context.addIssue({ code: "custom", path: key === undefined ? [] : ["credential"], message })
  })

function textOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.toLowerCase()} ${port}`
}
