// The only process that loads the keychain's library and speaks D-Bus. A crash or a prompt that nobody sees doesn't
// stop the vault. It takes calls on its standard input, one at a time, and ends when the input ends.

import { createRequire } from "node:module"
import { parseArgs } from "node:util"

import { utf8, withSecret } from "../../../std/bytes.ts"
import { Fault } from "../../../std/fault.ts"
import { hexTextOf, readableSecret } from "./hex-text.ts"
import {
  framesOf,
  writeFrame,
  type KeychainAnswer,
  type KeychainCall,
  type Keychain,
} from "./keychain.ts"
import { nativeDriver } from "./native-driver.ts"

/** Longer than the vault waits. It matters only if the vault died before it could end this process. */
const longestLifeMs = 75_000

const nothing = new Uint8Array()
/** More than an answer has that brings a key. */
const coverBytes = 4_096

setTimeout(() => process.kill(process.pid, "SIGKILL"), longestLifeMs).unref()
await serve()
process.exit()

async function serve(): Promise<void> {
  const opened = open()
  opened.catch(() => undefined) // told with the answer to each call
  for await (const { head, secret } of framesOf(process.stdin)) {
    const call = head as KeychainCall // ours to ours
    const found = await withSecret(secret, () => answer(opened, call, secret))
    await withSecret(found.secret, () => writeFrame(process.stdout, found))
  }
}

/** A library is loaded where it is chosen: the other may not be installed. */
async function open(): Promise<Keychain> {
  const { values } = parseArgs({
    options: {
      driver: { type: "string" },
      service: { type: "string" },
      keytar: { type: "string" },
    },
  })
  const { driver, service = "", keytar } = values
  return driver === "keytar" ? keytarDriver(service, keytar) : nativeDriver(service)
}

async function answer(
  opened: Promise<Keychain>,
  call: KeychainCall,
  secret: Uint8Array,
): Promise<{ readonly head: KeychainAnswer; readonly secret: Uint8Array }> {
  try {
    const { isDone, found = nothing } = await carryOut(await opened, call, secret)
    return { head: { isOk: true, isDone }, secret: found }
  } catch (error) {
    // A library's own message isn't passed on: it could quote a secret.
    const { code, message } = error instanceof Fault ? error : refused()
    return { head: { isOk: false, code, message }, secret: nothing }
  }
}

async function carryOut(
  keychain: Keychain,
  { verb, account }: KeychainCall,
  secret: Uint8Array,
): Promise<{ readonly isDone: boolean; readonly found?: Uint8Array | undefined }> {
  switch (verb) {
    case "getPassword": {
      const found = await keychain.getPassword(account)
      return { isDone: found !== undefined, found }
    }
    case "setPassword":
      await keychain.setPassword(account, secret)
      return { isDone: true }
    case "deletePassword":
      return { isDone: await keychain.deletePassword(account) }
    case "cover":
      return { isDone: true, found: new Uint8Array(coverBytes) }
  }
}

function refused(): Fault {
  return new Fault(
    "keychain_unavailable",
    "The keychain refused; its own log says why (journalctl --user, the lines of gnome-keyring-daemon, kwalletd or keepassxc).",
  )
}

/** What we use of keytar, which has no types of its own here: it needn't be installed. */
type Keytar = {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/**
 * Opens the keychain through keytar. Limits we accept, as of keytar 7.9.0: on a locked collection `getPassword` says that
 * there is no such item, so the keychain's state is asked before, and again where an item is missing; and keytar takes and
 * gives strings, which can't be overwritten: they go with the process.
 *
 * @throws {Fault} `keychain_unavailable` when keytar isn't installed or can't be loaded.
 */
function keytarDriver(service: string, keytarDirectory?: string): Keychain {
  const keytar = loadKeytar(keytarDirectory)
  return {
    getPassword: async (account) => {
      const text = await keytar.getPassword(service, account)
      return text === null ? undefined : readableSecret(account, utf8(text))
    },
    setPassword: (account, secret) =>
      withSecret(hexTextOf(secret), (text) =>
        keytar.setPassword(service, account, new TextDecoder().decode(text)),
      ),
    deletePassword: (account) => keytar.deletePassword(service, account),
  }
}

function loadKeytar(directory: string | undefined): Keytar {
  try {
    return createRequire(import.meta.url)(directory ?? "keytar") as Keytar // its documented interface
  } catch (cause) {
    throw new Fault(
      "keychain_unavailable",
      "keytar can't be loaded; install keytar 7.9.0 beside countersign, or set driver: native.",
      { cause },
    )
  }
}
