import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { configText } from "../../../../src/commands/init/init-texts.ts"
import { problemText } from "../../../../src/std/yaml-file.ts"
import { parseConfig, type Config } from "../../../../src/vault/config/config.ts"

const keystore = "keystore: {backend: keystore}\n"

function config(text: string): Config {
  const read = parseConfig(text, "countersign.yaml")
  assert.ok(read.ok, read.ok ? "" : read.error.map(problemText).join("\n"))
  return read.value
}

function problems(text: string): readonly string[] {
  const read = parseConfig(text, "countersign.yaml")
  return read.ok ? [] : read.error.map(problemText)
}

describe("countersign.yaml", () => {
  it("has a default for all but where keys rest", () => {
    assert.deepEqual(config(keystore), {
      listen: { host: "127.0.0.1", port: 8420 },
      allowedHosts: [],
      allowRemote: false,
      keystore: {
        backend: "keystore",
        driver: "native",
        passphraseFile: undefined,
        credential: undefined,
      },
      walletKeys: { lifetimeMs: undefined, lockOnIdleMs: undefined },
      expiresInMs: { trade: 15_000, typeB: 60_000 },
      stopBeforeMs: 6 * 3_600_000,
      agentWarningMs: 7 * 86_400_000,
      prices: {
        maxAgeMs: 60_000,
        maxStep: { coefficient: 5n, scale: 2 },
        maxDriftPerMinute: { coefficient: 10n, scale: 2 },
        maxDrift: { coefficient: 40n, scale: 2 },
      },
      reloadOnChange: false,
      archiveKeepMs: 30 * 86_400_000,
      minFreeBytes: 256 * 1_048_576,
      postgres: undefined,
      signerDir: undefined,
      maxStartGapMs: 7 * 86_400_000,
      maxVenueOffsetMs: undefined,
      keepWarmMs: undefined,
      attestRequired: false,
      freezeOn: {
        venueRefusals: undefined,
        policyRefusalsPerMinute: undefined,
        nonceTrouble: false,
        clockTrouble: false,
      },
      heartbeats: new Map(),
      budgets: {
        isOn: { address: true, ip: true },
        ipPart: 100,
        shares: new Map(),
        cancelReserve: 5,
      },
      upstream: { ca: null, proxy: null, deadlineMs: 15_000 },
      notify: [],
    })
    assert.notDeepEqual(problems(""), [])
  })

  it("is read as init writes it, whatever the path of the passphrase's file", () => {
    const path = '/tmp/a "b" \\ #c: é\n'
    assert.equal(
      config(configText({ backend: "keystore", passphraseFile: path })).keystore.passphraseFile,
      path,
    )
    assert.equal(config(configText({ backend: "memory" })).keystore.backend, "memory")
  })

  it("refuses an unknown key with its place, and quotes no value", () => {
    const [problem] = problems(`${keystore}pasphrase: canary\n`)
    assert.equal(problem, 'countersign.yaml:2:1: unknown key "pasphrase"')
    const inside = problems("keystore: {backend: keystore, passphrase: canary}\n")
    assert.match(inside.join(), /unknown key "passphrase"/)
    assert.doesNotMatch(inside.join(), /canary/)
  })

  it("opens a keystore by a file or by a credential, not by both", () => {
    const byCredential = "keystore: {backend: keystore, credential: countersign-key}\n"
    assert.equal(config(byCredential).keystore.credential, "countersign-key")
    const both = "keystore: {backend: keystore, credential: a, passphrase_file: /b}\n"
    assert.match(problems(both).join(), /a keystore has one secret/)
  })

  it("says why agent keys aren't locked by themselves", () => {
    assert.match(problems(`${keystore}agent_keys: {lifetime: 1h}\n`).join(), /its bot would stop/)
  })

  for (const [line, isRead] of [
    ["wallet_keys: {lifetime: 8h, lock_on_idle: 15m}", true],
    ["wallet_keys: {lifetime: 32d}", false],
    ["wallet_keys: {idle: 1m}", false],
    ["agent_warning: 90d", true],
    ["agent_warning: 91d", false],
    ["listen: {port: 0}", true],
    ["listen: {port: 65535}", true],
    ["listen: {port: 65536}", false],
    ["listen: {port: -1}", false],
    ["listen: {port: 0x10}", false],
    ["listen: {host: ::1}", true],
    ["listen: {host: localhost}", true],
    ["listen: {host: 0.0.0.0}", false],
    ["listen: {host: 127.0.0.1.example}", false],
    ["listen: {host: 0.0.0.0}\nallow_remote: true", true],
    ["allow_remote: yes", false],
    ["expires_in: {trade: 1h}", true],
    ["expires_in: {trade: 3600001ms}", false],
    ["expires_in: {type_b: 1ms}", true],
    ["expires_in: {type_b: 0s}", false],
    ["expires_in: {type_b: 60}", false],
    ["prices: {max_age: 1d}", true],
    ["prices: {max_age: 86400001ms}", false],
    ["prices: {max_age: 60}", false],
    ["prices: {max_step: 0.5%}", true],
    ["prices: {max_step: 5}", false],
    ["prices: {max_step: -5%}", false],
    ["reload_on_change: true", true],
    ["reload_on_change: yes", false],
    ["stop_before: 30d", true],
    ["stop_before: 31d", false],
    ["freeze_on: {venue_refusals: 1}", true],
    ["freeze_on: {venue_refusals: 0}", false],
    ["freeze_on: {venue_refusals: 9999}", true],
    ["freeze_on: {venue_refusals: 10000}", false],
    ["freeze_on: {policy_refusals_per_minute: 100}", true],
    ["freeze_on: {policy_refusals_per_minute: -1}", false],
    ["freeze_on: {nonce_trouble: true, clock_trouble: true}", true],
    ["freeze_on: {nonce_trouble: yes}", false],
    ["freeze_on: {venue_refusal: 5}", false],
    ["heartbeats: {bot: {within: 1s}}", true],
    ["heartbeats: {bot: {within: 999ms}}", false],
    ["heartbeats: {bot: {within: 1d, then: panic}}", true],
    ["heartbeats: {bot: {within: 86400001ms}}", false],
    ["heartbeats: {bot: {within: 10s, then: stop}}", false],
    ["heartbeats: {bot: {}}", false],
    ["heartbeats: {Bot: {within: 10s}}", false],
    ["allowed_hosts: [example.org]", true],
    ["allowed_hosts: ['example.org:80']", false],
    ["allowed_hosts: [Example.org]", false],
    ["allowed_hosts: ['*']", false],
  ] as const) {
    it(`${isRead ? "takes" : "refuses"} ${line.replace("\n", ", ")}`, () => {
      assert.equal(problems(`${keystore}${line}\n`).length === 0, isRead)
    })
  }

  it("refuses a relative path of the passphrase's file", () => {
    const text = "keystore: {backend: keystore, passphrase_file: pass}\n"
    assert.match(problems(text).join(), /absolute path/)
  })
})

describe("what stops by itself in countersign.yaml", () => {
  it("is read with its numbers, and is off where the file says nothing", () => {
    const read = config(
      `${keystore}freeze_on: {venue_refusals: 5, clock_trouble: true}\nheartbeats: {bot: {within: 10s}, mm: {within: 2m, then: panic}}\n`,
    )
    assert.deepEqual(read.freezeOn, {
      venueRefusals: 5,
      policyRefusalsPerMinute: undefined,
      nonceTrouble: false,
      clockTrouble: true,
    })
    assert.deepEqual(
      [...read.heartbeats],
      [
        ["bot", { withinMs: 10_000, then: "freeze" }],
        ["mm", { withinMs: 120_000, then: "panic" }],
      ],
    )
  })
})

describe("the room that countersign.yaml asks for", () => {
  for (const [written, bytes] of [
    ["{}", 268_435_456],
    ["{min_free: 256MiB}", 268_435_456],
    ["{min_free: 1GiB}", 1_073_741_824],
    ["{min_free: 0}", 0],
  ] as const) {
    it(`is ${bytes} bytes for ${written}`, () => {
      assert.equal(config(`${keystore}ledger: ${written}\n`).minFreeBytes, bytes)
    })
  }

  for (const written of ["off", "256", "256 MiB", "256MB", "-1MiB", "0MiB", "1.5GiB", "1TiB"]) {
    it(`isn't ${written}`, () => {
      const found = problems(`${keystore}ledger: {min_free: ${written}}\n`).join()
      assert.match(found, /expected a size like 256MiB \(KiB, MiB or GiB\), or 0/)
    })
  }
})

describe("archive in countersign.yaml", () => {
  it("is 30 days unless it says otherwise, and at least one", () => {
    assert.equal(config(`${keystore}archive: {keep: 1d}\n`).archiveKeepMs, 86_400_000)
    assert.equal(config(`${keystore}archive: off\n`).archiveKeepMs, undefined)
    assert.match(problems(`${keystore}archive: {keep: 23h}\n`).join(), /at least 1d/)
    assert.match(problems(`${keystore}archive: never\n`).join(), /expected off, or \{keep: 30d\}/)
  })
})
