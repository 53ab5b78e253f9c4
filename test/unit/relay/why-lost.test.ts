import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { whyLost } from "../../../src/relay/why-lost.ts"

const server = { name: "db1", host: "db1.internal", port: 5432 }

describe("why a server can't be used is said", () => {
  for (const [code, says] of [
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "refuses this host's certificate"],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "refuses this host's certificate"],
    ["ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE", "refuses this host's certificate"],
    ["ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED", "refuses this host's certificate"],
    ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "doesn't speak TLS 1.3"],
    ["ERR_SSL_UNSUPPORTED_PROTOCOL", "doesn't speak TLS 1.3"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "don't come to terms about TLS"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "isn't trusted"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "isn't trusted"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "isn't trusted"],
    ["CERT_HAS_EXPIRED", "has expired"],
    ["CERT_NOT_YET_VALID", "isn't good yet"],
    ["ETIMEDOUT", "doesn't answer"],
    ["ECONNRESET", "broke the connection off"],
    ["EAI_AGAIN", "can't be looked up"],
  ] as const) {
    it(`in words for ${code}, with the address and what to do`, () => {
      const said = whyLost(server, code)
      assert.ok(said.includes(says), said)
      assert.ok(said.includes("db1.internal:5432"), said)
      assert.ok(!said.includes(code), said)
    })
  }

  it("by its code where there are no words for it", () => {
    assert.equal(
      whyLost(server, "EHOSTUNREACH"),
      "There is no way to db1.internal:5432 (EHOSTUNREACH).",
    )
  })

  it("with an address of IPv6 in brackets", () => {
    const said = whyLost({ ...server, host: "2001:db8::1" }, "ended")
    assert.match(said, /^\[2001:db8::1\]:5432 ended the connection/)
  })
})
