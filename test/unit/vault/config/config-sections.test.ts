import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { assertReloadable } from "../../../../src/vault/operator/files-in-force.ts"
import { parseConfig, type Config } from "../../../../src/vault/config/config.ts"
import { openTestVault } from "../../../support/open-test-vault.ts"
import { testTls } from "../../../support/tls.ts"

const least = "keystore: {backend: memory}\n"

function indented(text: string): string {
  return text.trimEnd().replaceAll("\n", "\n    ")
}

function withCa(pem: string): string {
  return `upstream:\n  ca: |\n    ${indented(pem)}\n`
}

function read(lines: string): Config["upstream"] {
  const config = parseConfig(least + lines, "countersign.yaml")
  return config.ok ? config.value.upstream : assert.fail(JSON.stringify(config.error))
}

function assertRefused(lines: string, message: RegExp): void {
  const config = parseConfig(least + lines, "countersign.yaml")
  assert.ok(!config.ok)
  assert.equal(config.error.length, 1)
  assert.match(config.error[0]?.message ?? "", message)
}

describe("keep_warm in countersign.yaml", () => {
  for (const [pause, ms] of [
    ["off", undefined],
    ["1ms", 1],
    ["1s", 1_000],
    ["0ms", "refused"],
    ["1001ms", "refused"],
    ["5", "refused"],
  ] as const) {
    it(`${ms === "refused" ? "refuses" : "takes"} a keep_warm of ${pause}`, () => {
      const config = parseConfig(`${least}keep_warm: ${pause}\n`, "countersign.yaml")
      assert.equal(config.ok ? config.value.keepWarmMs : "refused", ms)
      if (config.ok) return
      assert.match(config.error[0]?.message ?? "", /^expected off, or a duration like 5ms/)
    })
  }
})

describe("upstream in countersign.yaml", () => {
  it("is direct, with the system's authorities and 15 s, unless it says otherwise", () => {
    const usual = { ca: null, proxy: null, deadlineMs: 15_000 }
    assert.deepEqual(read(""), usual)
    assert.deepEqual(read("upstream: {}\n"), usual)
  })

  it("takes certificates as text, one or several, with comments between them", () => {
    assert.equal(read(withCa(testTls.cert)).ca, testTls.cert)
    const two = `# ours\n${testTls.cert}# theirs\n${testTls.cert}`
    assert.equal(read(withCa(two)).ca, two)
  })

  for (const [what, pem, message] of [
    ["a private key", testTls.cert + testTls.key, /^there is a private key/],
    ["no certificate", "none", /^expected certificates in PEM/],
    [
      "one that isn't a certificate",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      /^expected certificates in PEM/,
    ],
    ["one that is cut off", testTls.cert + testTls.cert.slice(0, 200), /^expected certificates/],
  ] as const) {
    it(`refuses ${what}`, () => assertRefused(withCa(pem), message))
  }

  it("takes 64 KiB of certificates and not a character more", () => {
    const padded = (chars: number): string =>
      `#${"x".repeat(chars - testTls.cert.length - 2)}\n${testTls.cert}`
    assert.equal(read(withCa(padded(65_536))).ca?.length, 65_536)
    assertRefused(withCa(padded(65_537)), /^expected at most 64 KiB/)
  })

  for (const proxy of ["http://127.0.0.1:3128", "http://proxy.internal:80", "http://[::1]:3128/"]) {
    it(`takes the proxy ${proxy}`, () =>
      assert.equal(read(`upstream: {proxy: "${proxy}"}\n`).proxy, proxy))
  }

  for (const proxy of [
    "http://proxy.internal",
    "https://proxy.internal:3128",
    "socks5://proxy.internal:1080",
    "http://user:secret@proxy.internal:3128",
    "http://user@proxy.internal:3128",
    "http://proxy.internal:3128/x",
    "http://proxy.internal:3128?x",
    "http://proxy.internal:3128#x",
    "http://proxy.internal:99999",
    "proxy.internal:3128",
    "",
  ]) {
    it(`refuses the proxy "${proxy}", and doesn't say it again`, () => {
      assertRefused(`upstream: {proxy: "${proxy}"}\n`, /^expected http:\/\/host:port, without/)
      const refused = parseConfig(`${least}upstream: {proxy: "${proxy}"}\n`, "countersign.yaml")
      assert.doesNotMatch(JSON.stringify(refused), /secret/)
    })
  }

  for (const [deadline, ms] of [
    ["100ms", 100],
    ["30s", 30_000],
    ["99ms", undefined],
    ["30001ms", undefined],
  ] as const) {
    it(`${ms === undefined ? "refuses" : "takes"} a deadline of ${deadline}`, () => {
      const line = `upstream: {deadline: ${deadline}}\n`
      if (ms === undefined) assertRefused(line, /^expected a duration/)
      else assert.equal(read(line).deadlineMs, ms)
    })
  }

  for (const [offset, ms] of [
    ["off", undefined],
    ["1s", 1_000],
    ["1h", 3_600_000],
    ["999ms", "refused"],
    ["3600001ms", "refused"],
    ["5", "refused"],
  ] as const) {
    it(`${ms === "refused" ? "refuses" : "takes"} a max_venue_offset of ${offset}`, () => {
      const config = parseConfig(`${least}max_venue_offset: ${offset}\n`, "countersign.yaml")
      assert.equal(config.ok ? config.value.maxVenueOffsetMs : "refused", ms)
      if (config.ok) return
      assert.match(config.error[0]?.message ?? "", /^expected off, or a duration like 5s, 1s to 1h/)
    })
  }

  it("is told to the gate and to commands, whole, and can't change while the vault runs", async (t) => {
    const settings = `upstream: {proxy: "http://127.0.0.1:3128", deadline: 2s}\n`
    const test = await openTestVault({ settings })
    t.after(() => test.remove())
    const told = await test.bots.gateSettings()
    const { profile } = test.vault.active()
    const upstream = { ca: null, proxy: "http://127.0.0.1:3128", deadlineMs: 2_000 }
    assert.deepEqual(told, {
      upstream: { baseUrl: profile.baseUrl, ...upstream },
      ...{ paper: null, allowedHosts: [], keepWarmMs: undefined },
    })
    assert.deepEqual(await test.admin.upstream(), told.upstream)
    const { config } = test.vault.active()
    const changed = { ...config, upstream: { ...config.upstream, proxy: null } }
    const next = { ...test.vault.active(), config: changed }
    assert.throws(
      () => assertReloadable(test.vault.active(), next),
      /^Fault: upstream can't change/,
    )
  })
})
