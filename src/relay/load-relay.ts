import { X509Certificate } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { createSecureContext, type SecureContext } from "node:tls"

import { decodeUtf8 } from "../std/bytes.ts"
import { Fault } from "../std/fault.ts"
import { codeOf, readPrivateFile } from "../std/private-file.ts"
import { err, type Result } from "../std/result.ts"
import { parseYaml, problemText, type YamlPath } from "../std/yaml-file.ts"
import { relayConfig, type Server } from "./relay-config.ts"

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
