import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { after, afterEach, before, describe, it } from "node:test"

import type { Keychain, KeychainDriver } from "../../src/vault/keyring/keychain/keychain.ts"
import { preflight } from "../../src/vault/keyring/keychain/preflight.ts"
import { withKeychain } from "../../src/vault/keyring/keychain/with-keychain.ts"
import { keytarDirectory, needsKeytar } from "../support/keytar.ts"
import { processesBelow, until } from "../support/process-tree.ts"
import {
  needsSecretService,
  setEnvironment,
  startSecretService,
  type SecretService,
} from "../support/secret-service.ts"

const secret = Uint8Array.from({ length: 32 }, (_, index) => 7 * index + 3)
const other = new Uint8Array(32).fill(0xa5)
const longestMs = 10_000

/** One suite for both libraries: what one promises, so does the other. */
const drivers: readonly (readonly [KeychainDriver, { readonly skip?: string }])[] = [
  ["native", needsSecretService()],
  ["keytar", { ...needsSecretService(), ...needsKeytar() }],
]

for (const [driver, options] of drivers) {
  describe(`the keychain through ${driver}`, options, () => {
    let service: SecretService
    let count = 0
    let items = ""

    before(async () => (service = await startSecretService()))
    after(() => service.stop())
    afterEach(async () => {
      await until(() => (keychainProcesses().length === 0 ? true : undefined), "no process is left")
    })

    /** Each test has items of its own, under the service that `items` names. */
    const own = (name: string, test: () => Promise<void>): void => {
      it(name, async () => {
        items = `countersign-test-${driver}-${(count += 1)}`
        await test()
      })
    }
    const use = <Output>(work: (keychain: Keychain) => Promise<Output>, check = preflight) => {
      const settings = { driver, service: items, keytarDirectory: keytarDirectory() }
      return withKeychain(settings, work, check)
    }
    const store = () => use((keychain) => keychain.setPassword("bot", secret))
    const read = (check = preflight) => use((keychain) => keychain.getPassword("bot"), check)
    const accountAttribute = driver === "keytar" ? "account" : "username"

    own("gives back the bytes that it was given", async () => {
      await store()
      assert.deepEqual(await read(), secret)
    })

    own("says that there is no item where there is none", async () => {
      assert.equal(await read(), undefined)
      assert.equal(await use((keychain) => keychain.deletePassword("bot")), false)
    })

    own("overwrites an item", async () => {
      await store()
      await use((keychain) => keychain.setPassword("bot", other))
      assert.deepEqual(await read(), other)
    })

    own("deletes an item, and no other", async () => {
      const found = await use(async (keychain) => {
        await keychain.setPassword("bot", secret)
        await keychain.setPassword("bot2", other)
        assert.equal(await keychain.deletePassword("bot"), true)
        return [await keychain.getPassword("bot"), await keychain.getPassword("bot2")]
      })
      assert.deepEqual(found, [undefined, other])
    })

    own("has the items of its service alone", async () => {
      await store()
      const elsewhere = { driver, service: `${items}-b`, keytarDirectory: keytarDirectory() }
      const theirs = await withKeychain(elsewhere, async (keychain) => {
        await keychain.setPassword("theirs", other)
        return [await keychain.getPassword("bot"), await keychain.deletePassword("bot")]
      })
      assert.deepEqual(theirs, [undefined, false])
      assert.equal(await use((keychain) => keychain.getPassword("theirs")), undefined)
      assert.deepEqual(await read(), secret)
    })

    own("keeps items while the daemon is started anew", async () => {
      await store()
      await service.restart()
      assert.deepEqual(await read(), secret)
    })

    own("rests as hex text under the service and the account", async () => {
      await store()
      const attributes = ["service", items, accountAttribute, "bot"]
      const text = execFileSync("secret-tool", ["lookup", ...attributes], { encoding: "utf8" })
      assert.equal(text, hexOf(secret))
    })

    own("refuses an item that another program stored under the name", async () => {
      const schema = ["xdg:schema", "org.freedesktop.Secret.Generic"]
      const attributes = ["service", items, accountAttribute, "bot"]
      if (driver === "keytar") attributes.push(...schema)
      execFileSync("secret-tool", ["store", "--label=x", ...attributes], { input: "not hex" })
      await assert.rejects(read(), { code: "keychain_mismatch" })
    })

    own("puts no secret on a command line, and passes on no NODE_ variable", async () => {
      const restore = setEnvironment({ NODE_NO_WARNINGS: "1", CANARY: "canary" })
      const seen = await use(async (keychain) => {
        await keychain.setPassword("bot", secret)
        return keychainProcesses()
      }).finally(restore)
      assert.equal(seen.length, 1)
      for (const { commandLine, environment } of seen) {
        assert.ok(!commandLine.includes(hexOf(secret)))
        assert.doesNotMatch(environment, /NODE_|CANARY/)
        assert.match(environment, /DBUS_SESSION_BUS_ADDRESS/)
      }
    })

    describe("while it is locked", () => {
      before(async () => {
        items = `countersign-test-${driver}-locked`
        await store()
        await service.lock()
      })
      after(() => service.restart())

      for (const [name, attempt] of [
        ["read", () => read()],
        ["store", () => store()],
        ["delete", () => use((keychain) => keychain.deletePassword("bot"))],
      ] as const) {
        it(`says so to who would ${name}`, async () => {
          await assert.rejects(attempt, { code: "keychain_locked" })
        })
      }

      it("says so, and not that there is no such key, when it was locked a moment ago", async () => {
        await assert.rejects(read(readyOnce()), { code: "keychain_locked" })
        const remove = use((keychain) => keychain.deletePassword("bot"), readyOnce())
        await assert.rejects(remove, { code: "keychain_locked" })
      })
    })

    describe("without its service", () => {
      before(() => service.kill())
      after(() => service.restart())

      it("says what is missing", async () => {
        const expected = { code: "keychain_unavailable", message: /No Secret Service/ }
        await assert.rejects(read(), expected)
        await assert.rejects(read(readyOnce()), expected)
      })
    })

    describe("without a bus", () => {
      let restore: () => void
      before(() => {
        const nowhere = join(service.directory, "nowhere")
        restore = setEnvironment({
          DBUS_SESSION_BUS_ADDRESS: `unix:path=${nowhere}`,
          XDG_RUNTIME_DIR: nowhere,
        })
        items = `countersign-test-${driver}-no-bus`
      })
      after(() => restore())

      it("says so, and uses no other place", async () => {
        const expected = { code: "keychain_unavailable", message: /no D-Bus session bus/ }
        for (const attempt of [store, read]) await assert.rejects(attempt(), expected)
      })

      it("stores nothing in the kernel's keyring even where the first look is wrong", async () => {
        const write = use((keychain) => keychain.setPassword("bot", secret), readyOnce())
        await assert.rejects(write, { code: "keychain_unavailable" })
        assert.ok(!readFileSync("/proc/keys", "utf8").includes(items))
      })
    })

    own("refuses when the daemon dies in the middle", async () => {
      const attempt = use(async (keychain) => {
        await keychain.setPassword("bot", secret)
        await service.kill()
        return keychain.getPassword("bot")
      })
      await assert.rejects(attempt, { code: "keychain_unavailable" })
      await service.restart()
      assert.deepEqual(await read(), secret)
    })

    own("refuses in time when the daemon hangs", async () => {
      await store()
      service.signal("SIGSTOP")
      try {
        await refusedInTime(() => read())
      } finally {
        service.signal("SIGCONT")
      }
      assert.deepEqual(await read(), secret)
    })

    own("refuses in time when the daemon hangs in the middle", async () => {
      try {
        await refusedInTime(() =>
          use(async (keychain) => {
            await keychain.setPassword("bot", secret)
            service.signal("SIGSTOP")
            return keychain.getPassword("bot")
          }),
        )
      } finally {
        service.signal("SIGCONT")
      }
      assert.deepEqual(await read(), secret)
    })

    own("makes no new keyring where the password is wrong", async () => {
      await store()
      const before = keyringFiles(service)
      await service.restart("wrong")
      await assert.rejects(read(), { code: "keychain_locked" })
      await assert.rejects(store(), { code: "keychain_locked" })
      assert.deepEqual(keyringFiles(service), before)
      await service.restart()
      assert.deepEqual(await read(), secret)
    })
  })
}

describe("the keychain through keytar where it isn't installed", needsSecretService(), () => {
  it("says how to get it", async (t) => {
    const service = await startSecretService()
    t.after(() => service.stop())
    const settings = { driver: "keytar", service: "x", keytarDirectory: service.directory } as const
    const attempt = withKeychain(settings, (keychain) => keychain.getPassword("bot"))
    const expected = { code: "keychain_unavailable", message: /install keytar 7\.9\.0/ }
    await assert.rejects(attempt, expected)
  })
})

/** A first look that is wrong, as when the keychain is locked right after it; the next ones are right. */
function readyOnce(): typeof preflight {
  let isFirst = true
  return (limitMs) => {
    if (!isFirst) return preflight(limitMs)
    isFirst = false
    return Promise.resolve("ready")
  }
}

async function refusedInTime(attempt: () => Promise<unknown>): Promise<void> {
  const startMs = performance.now()
  await assert.rejects(attempt, { code: "keychain_unavailable" })
  assert.ok(performance.now() - startMs < longestMs)
}

function keychainProcesses() {
  return processesBelow(process.pid).filter(({ commandLine }) =>
    commandLine.includes("keychain-process"),
  )
}

function keyringFiles({ directory }: SecretService): readonly string[] {
  return readdirSync(join(directory, "data", "keyrings")).sort()
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
