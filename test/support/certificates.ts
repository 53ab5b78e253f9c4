import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"

/** A certificate and its key, as paths of PEM files. The key's is for its owner alone. */
export type CertificateFiles = { readonly certificate: string; readonly key: string }

/** Where {@link makeCertificates} put what it made. */
export type Certificates<Client extends string = string> = {
  /** The authority that vouches for all the others. */
  readonly ca: string
  readonly serverCertificate: string
  readonly serverKey: string
  /** By common name. */
  readonly clients: Readonly<Record<Client, CertificateFiles>>
}

export type CertificatesAsk<Client extends string> = {
  /** The common names of the client certificates, each a file's name too. */
  readonly clients: readonly Client[]
  /** What the server's certificate is for, as OpenSSL writes alternative names; `localhost` and 127.0.0.1 if left out. */
  readonly serverNames?: readonly string[]
}

const localNames = ["DNS:localhost", "IP:127.0.0.1"]

/**
 * Makes an authority of its own, a certificate of a server and certificates of clients in `directory`, which is made if it
 * isn't there. They are good for two days.
 */
export function makeCertificates<Client extends string>(
  directory: string,
  { clients, serverNames = localNames }: CertificatesAsk<Client>,
): Certificates<Client> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const authority = filesOf(directory, "ca")
  makeCertificate(authority, "countersign test authority", [
    ...["-addext", "basicConstraints=critical,CA:TRUE"],
    ...["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
  ])
  const vouchedFor = (name: string, extensions: readonly string[]): CertificateFiles => {
    const files = filesOf(directory, name)
    const plain = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"]
    makeCertificate(files, name, [
      ...["-CA", authority.certificate, "-CAkey", authority.key],
      ...[...plain, ...extensions].flatMap((each) => ["-addext", each]),
    ])
    return files
  }
  const server = vouchedFor("server", [
    "extendedKeyUsage=serverAuth",
    `subjectAltName=${serverNames.join()}`,
  ])
  const made = clients.map((name) => [name, vouchedFor(name, ["extendedKeyUsage=clientAuth"])])
  return {
    ca: authority.certificate,
    serverCertificate: server.certificate,
    serverKey: server.key,
    clients: Object.fromEntries(made) as Record<Client, CertificateFiles>, // one of each name
  }
}

function filesOf(directory: string, name: string): CertificateFiles {
  return { certificate: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) }
}

/** OpenSSL makes keys with mode 0600. */
function makeCertificate(files: CertificateFiles, name: string, more: readonly string[]): void {
  const args = [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"],
    ...["-days", "2", "-subj", `/CN=${name}`, "-out", files.certificate, "-keyout", files.key],
    ...more,
  ]
  // An openssl.cnf of the machine's would add extensions of its own.
  const env = { ...process.env, OPENSSL_CONF: "/dev/null" }
  execFileSync("openssl", args, { env, stdio: ["ignore", "ignore", "pipe"] })
}
