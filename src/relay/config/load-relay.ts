import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"

import { readPrivateFile } from "../../std/private-file.ts"
import { readRelayFile, type RelayFile } from "./read-relay-file.ts"
import { readText } from "./read-text.ts"
import type { Server } from "./relay-config.ts"

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
