// The only process that loads the keychain's library and speaks D-Bus. A crash or a prompt that nobody sees doesn't
// stop the vault. It takes calls on its standard input, one at a time, and ends when the input ends.

import { parseArgs } from "node:util"

import { Fault } from "../../../std/fault.ts"
import { withSecret } from "../../../std/bytes.ts"
import { framesOf, writeFrame, type KeychainAnswer, type KeychainCall } from "./frames.ts"
import type { Keychain } from "./keychain.ts"

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

/** A driver is loaded where it is chosen: the other may not be installed. */
async function open(): Promise<Keychain> {
  const { values } = parseArgs({
    options: {
      driver: { type: "string" },
      service: { type: "string" },
      keytar: { type: "string" },
    },
  })
  const { driver, service = "", keytar } = values
  if (driver === "keytar") {
    const { keytarDriver } = await import("./keytar-driver.ts")
    return keytarDriver(service, keytar)
  }
  const { nativeDriver } = await import("./native-driver.ts").catch(unloadable)
  return nativeDriver(service)
}

function unloadable(): never {
  const message =
    "The keychain's library can't be loaded; make it for this system, or reinstall countersign, run: npm rebuild @napi-rs/keyring"
  throw new Fault("keychain_unavailable", message)
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

type Outcome = { readonly isDone: boolean; readonly found?: Uint8Array | undefined }

async function carryOut(
  keychain: Keychain,
  { verb, account }: KeychainCall,
  secret: Uint8Array,
): Promise<Outcome> {
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
