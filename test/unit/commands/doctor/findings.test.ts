import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { shellWord } from "../../../../src/std/visible.ts"
import {
  clockFindings,
  diskFindings,
  fewFreeBytes,
} from "../../../../src/commands/doctor/machine-findings.ts"
import { warningFindings } from "../../../../src/commands/doctor/file-findings.ts"
import {
  findingLines,
  fail,
  failureOf,
  ok,
  warn,
  type Finding,
} from "../../../../src/commands/doctor/finding.ts"
import { keychainFinding } from "../../../../src/commands/doctor/key-findings.ts"
import { nodeFinding } from "../../../../src/commands/doctor/examine.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { memoryStore } from "../../../../src/vault/custody/open-key-store.ts"
import { defaultMinFreeBytes as minFreeBytes } from "../../../../src/vault/config/ledger-config.ts"
import { inPipe } from "../../../support/in-pipe.ts"

const states = (findings: readonly Finding[]) => findings.map(({ state }) => state)

describe("doctor on Node", () => {
  const none: ReadonlySet<string> = new Set()
  for (const [version, state] of [
    ["22.21.1", "fail"],
    ["23.9.0", "fail"],
    ["24.0.0", "ok"],
    ["26.10.0", "ok"],
    ["100.0.0", "ok"],
  ] as const) {
    it(`is ${state} with ${version}`, () => assert.equal(nodeFinding(version, none).state, state))
  }

  it("says whether the vault can give the network up", () => {
    assert.match(nodeFinding("24.0.0", none).message, /can't give the network up/)
    assert.match(nodeFinding("26.0.0", new Set(["--allow-net"])).message, /gives the network up/)
  })
})

describe("doctor on the clock", () => {
  const nowMs = Date.UTC(2026, 10, 24)
  const good = { nowMs, newestWriteMs: nowMs, isSynchronised: true }

  it("is ok with a time server, and where nothing can tell", () => {
    assert.deepEqual(states(clockFindings(good)), ["ok"])
    assert.deepEqual(states(clockFindings({ ...good, isSynchronised: undefined })), ["ok"])
    assert.deepEqual(states(clockFindings({ ...good, newestWriteMs: undefined })), ["ok"])
  })

  it("warns without a time server", () => {
    assert.deepEqual(states(clockFindings({ ...good, isSynchronised: false })), ["warn"])
  })

  it("warns of a file that was written more than two seconds in the future", () => {
    assert.deepEqual(states(clockFindings({ ...good, newestWriteMs: nowMs + 2_000 })), ["ok"])
    const [found] = clockFindings({ ...good, newestWriteMs: nowMs + 2_001 })
    assert.equal(found?.state, "warn")
    const hour = clockFindings({ ...good, newestWriteMs: nowMs + 3_600_000 })[0]
    assert.match(hour?.message ?? "", /60 min after that: it was set back/)
  })

  it("fails with a time before this program was made", () => {
    const first = Date.UTC(2026, 0, 1)
    assert.deepEqual(states(clockFindings({ ...good, nowMs: first - 1 })), ["fail"])
    assert.deepEqual(states(clockFindings({ ...good, nowMs: first, newestWriteMs: undefined })), [
      "ok",
    ])
  })
})

describe("doctor on the disk", () => {
  const good = {
    directory: "/d",
    freeBytes: fewFreeBytes,
    minFreeBytes,
    hasSpare: true,
    fileSystem: 0xef53,
    syncError: undefined,
  }

  for (const [freeBytes, state] of [
    [fewFreeBytes, "ok"],
    [fewFreeBytes - 1, "warn"],
    [minFreeBytes, "warn"],
    [minFreeBytes - 1, "fail"],
    [0, "fail"],
  ] as const) {
    it(`is ${state} with ${freeBytes} bytes free`, () => {
      assert.deepEqual(states(diskFindings({ ...good, freeBytes })), [state])
    })
  }

  it("fails below what countersign.yaml asks for, however much that is", () => {
    const asked = { ...good, minFreeBytes: 2 * fewFreeBytes }
    assert.deepEqual(states(diskFindings({ ...asked, freeBytes: 2 * fewFreeBytes })), ["ok"])
    assert.deepEqual(states(diskFindings({ ...asked, freeBytes: 2 * fewFreeBytes - 1 })), ["fail"])
    assert.deepEqual(states(diskFindings({ ...good, minFreeBytes: 0, freeBytes: 0 })), ["warn"])
  })

  it("says what is still recorded, and whether anything is put by for a full disk", () => {
    const said = (changes: object) =>
      diskFindings({ ...good, freeBytes: minFreeBytes - 1, ...changes })[0]?.message ?? ""
    assert.match(
      said({}),
      /255 MiB are free .* \(256 MiB\), so only cancels, .* use up the ledger's spare/,
    )
    assert.match(
      said({ hasSpare: false }),
      /once the disk is full, nothing is signed, since the ledger has no spare/,
    )
    assert.match(said({ freeBytes: minFreeBytes }), /below 256 MiB only cancels/)
    assert.match(said({ minFreeBytes: 0 }), /when there is no room for a record, nothing is signed/)
  })

  for (const [what, fileSystem, state] of [
    ["ext4", 0xef53, "ok"],
    ["NFS", 0x6969, "fail"],
    ["CIFS", 0xff534d42, "fail"],
    ["CIFS as a signed number", 0xff534d42 | 0, "fail"],
    ["tmpfs", 0x01021994, "warn"],
  ] as const) {
    it(`is ${state} on ${what}`, () => {
      assert.deepEqual(states(diskFindings({ ...good, fileSystem })), [state])
    })
  }

  it("fails where nothing can be synced, whatever else is good", () => {
    const [found, ...others] = diskFindings({ ...good, directory: "/my d", syncError: "EROFS" })
    assert.deepEqual([found?.state, others], ["fail", []])
    assert.match(found?.message ?? "", /EROFS/)
    assert.match(found?.fix ?? "", /ls -ld '\/my d' && df -h '\/my d'/)
  })
})

describe("doctor on the keychain", () => {
  const ready = () => Promise.resolve("ready" as const)
  const never = () => assert.fail("it isn't touched")
  const states = ["locked", "no_collection", "no_service", "no_bus", "hangs", "no_program"] as const
  for (const state of states) {
    it(`fails when it is ${state} and keys rest in it, and else only says why`, async () => {
      const check = () => Promise.resolve(state)
      const used = await keychainFinding(never, check)
      assert.equal(used.state, "fail")
      assert.notEqual(used.fix, "")
      const unused = await keychainFinding(undefined, check)
      assert.equal(unused.state, "ok")
      assert.ok(unused.message.endsWith(used.message))
    })
  }

  it("takes each key that rests in it, wipes it, and fails with the sentence of one that doesn't come", async () => {
    const given: Uint8Array[] = []
    const storeOf = (load: (name: string) => Uint8Array) => {
      const store = { ...memoryStore(), names: () => Promise.resolve(["main", "mm"]) }
      const publicKey = new Uint8Array(65)
      return () =>
        Promise.resolve({
          ...store,
          load: (name: string) => Promise.resolve({ secret: load(name), publicKey }),
        })
    }
    const whole = await keychainFinding(
      storeOf(() => given[given.push(new Uint8Array(32).fill(7)) - 1]!),
      ready,
    )
    assert.equal(whole.state, "ok")
    assert.match(whole.message, /gives each key that rests in it: 2/)
    assert.equal(given.length, 2)
    assert.ok(given.every((secret) => secret.every((byte) => byte === 0)))
    const lacking = await keychainFinding(
      storeOf((name) => {
        if (name === "main") return new Uint8Array(32)
        throw new Fault("keychain_mismatch", "The keychain has no item for the key mm.")
      }),
      ready,
    )
    assert.equal(lacking.state, "fail")
    assert.match(lacking.message, /the key mm/)
  })

  it("proposes to build the library anew only where it can't be loaded", async () => {
    const failing = (message: string) =>
      keychainFinding(() => Promise.reject(new Fault("keychain_unavailable", message)), ready)
    const unloadable = await failing("It can't be loaded, run: npm rebuild @napi-rs/keyring")
    assert.equal(unloadable.fix, "npm rebuild @napi-rs/keyring")
    const late = await failing("The keychain took longer than 5 s.")
    assert.doesNotMatch(`${late.fix}`, /npm/)
  })

  it("says of one where no key rests only that it is unlocked", async () => {
    assert.deepEqual(
      await keychainFinding(undefined, ready),
      ok("keychain", "It is unlocked, and no key rests in it; a keystore is used."),
    )
  })
})

describe("a warning of policies and keys", () => {
  it("is fixed by what it brings, here", () => {
    const warning = { message: "It ends.", fix: "countersign agent rotate mm-2.b" }
    const [found] = warningFindings([warning], { configDir: "/c", stateDir: "/s" })
    const fix = "countersign agent rotate mm-2.b --config-dir /c --state-dir /s"
    assert.deepEqual(found, warn("policy", "It ends.", fix))
  })
})

describe("a fault that doctor meets", () => {
  it("gives its command away as what fixes it", () => {
    const fault = new Fault("file_unsafe", "/k is open to other users; run: chmod 600 /k")
    assert.deepEqual(
      failureOf("keys", fault, "else"),
      fail("keys", "/k is open to other users.", "chmod 600 /k"),
    )
  })

  it("is told as it is where it has none", () => {
    const fault = new Fault("passphrase_wrong", "The passphrase is wrong.")
    assert.deepEqual(failureOf("keys", fault, "else"), fail("keys", fault.message, "else"))
    const others = new Fault(
      "ledger_unavailable",
      'PostgreSQL says: "x; run: reboot", and that; run: halt',
    )
    assert.equal(failureOf("postgres", others, "else").fix, "halt")
    const quoted = new Fault("ledger_unavailable", 'PostgreSQL says: "x\\"; run: reboot" (2)')
    assert.equal(failureOf("postgres", quoted, "else").fix, "else")
  })

  it("is told by its message where it is no fault of ours", () => {
    assert.match(failureOf("disk", new Error("EIO"), "else").message, /couldn't be checked: EIO/)
  })
})

describe("a word for a shell", () => {
  for (const [text, word] of [
    ["/var/lib/counter-sign_1.2", "/var/lib/counter-sign_1.2"],
    ["/my dir", "'/my dir'"],
    ["it's", "'it'\\''s'"],
    ["$(rm)", "'$(rm)'"],
    ["", "''"],
  ] as const) {
    it(`is ${word}`, () => assert.equal(shellWord(text), word))
  }
})

describe("findings for people", () => {
  it("have what fixes them below them, and a sum at the end", () => {
    const found = [
      ok("node", "Fine."),
      warn("clock", "Hm.", "timedatectl set-ntp true"),
      fail("permissions", "Bad: \u001b[2J.", "chmod 600 x"),
    ]
    assert.deepEqual(inPipe(findingLines(found)).split("\n"), [
      "ok    node         Fine.",
      "warn  clock        Hm.",
      "                   fix: timedatectl set-ntp true",
      "fail  permissions  Bad: \\u001b[2J.",
      "                   fix: chmod 600 x",
      "",
      "1 failed, 1 to look at.",
    ])
  })

  it("say that all is well when it is", () => {
    assert.equal(findingLines([ok("node", "Fine.")]).at(-1), "All is well.")
  })
})
