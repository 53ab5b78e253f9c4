import type { Server } from "./load-relay.ts"

/** Why a server can't be used: a code of Node's or OpenSSL's, or one of {@link lacks}. */
export type Lack = string

/** What no library has a code for. */
export const lacks = {
  silent: "silent",
  ended: "ended",
  noTls: "no_tls",
  errorBeforeTls: "error_before_tls",
  bytesBeforeTls: "bytes_before_tls",
  notPostgres: "not_postgres",
} as const

type Sentence = (address: string) => string

const silent: Sentence = (at) =>
  `${at} doesn't answer; look at that machine, the network and its firewalls.`
const brokenOff: Sentence = (at) => `${at} broke the connection off.`

const sentences: Readonly<Record<Lack, Sentence>> = {
  ENOTFOUND: (at) => `The name of ${at} isn't known; correct it in relay.yaml, or in the DNS.`,
  EAI_AGAIN: (at) => `The name of ${at} can't be looked up; look at this machine's DNS.`,
  ECONNREFUSED: (at) =>
    `Nothing listens at ${at}; is PostgreSQL up, and does it listen there (listen_addresses)?`,
  ETIMEDOUT: silent,
  [lacks.silent]: silent,
  [lacks.ended]: (at) => `${at} ended the connection; PostgreSQL's log there says why.`,
  ECONNRESET: brokenOff,
  EPIPE: brokenOff,
  [lacks.noTls]: (at) => `The PostgreSQL at ${at} takes no TLS; set ssl = on there.`,
  [lacks.errorBeforeTls]: (at) =>
    `${at} answered with an error before TLS; PostgreSQL's log there says why.`,
  [lacks.bytesBeforeTls]: (at) =>
    `Bytes came from ${at} before TLS began, and none was used; look for what stands in between.`,
  [lacks.notPostgres]: (at) => `What answers at ${at} isn't PostgreSQL; correct the address.`,
  CERT_HAS_EXPIRED: (at) =>
    `The certificate of ${at}, or its authority's, has expired; renew it there.`,
  CERT_NOT_YET_VALID: (at) => `The certificate of ${at} isn't good yet; is a clock off?`,
  ERR_TLS_CERT_ALTNAME_INVALID: (at) =>
    `The certificate of ${at} is for another name; write the address as the certificate has it, or renew that.`,
  INVALID_PURPOSE: (at) => `The certificate of ${at} isn't one for servers; make another there.`,
}

/** Of what OpenSSL has many codes for. The first that fits counts. */
const kinds: readonly (readonly [pattern: RegExp, Sentence])[] = [
  [
    /^ERR_SSL_.*ALERT_.*(?:CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    (at) =>
      `${at} refuses this host's certificate; is it of an authority in the server's ssl_ca_file, and still good?`,
  ],
  [
    /^ERR_SSL_.*(?:PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL)$/,
    (at) => `${at} doesn't speak TLS 1.3; allow it there (ssl_max_protocol_version).`,
  ],
  [/^ERR_SSL_/, (at) => `${at} and this host don't come to terms about TLS.`],
  [
    /ISSUER|LEAF_SIGNATURE|SELF_SIGNED|SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA|CHAIN/,
    (at) =>
      `The certificate of ${at} isn't trusted: no authority in ca vouches for it; put there the one that made it.`,
  ],
]

/** What is said of a server that can't be used: a sentence about it, of which nothing comes from it. */
export function whyLost({ host, port }: Server, lack: Lack): string {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`
  const sentence = sentences[lack] ?? kinds.find(([pattern]) => pattern.test(lack))?.[1]
  return sentence?.(address) ?? `There is no way to ${address} (${lack}).`
}
