import { spawn, type ChildProcessByStdio } from "node:child_process"
import { sep } from "node:path"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"

import * as z from "zod"

import { copySecret, withSecret } from "../../../std/bytes.ts"
import { Fault } from "../../../std/fault.ts"
import { ifKnown, outermostInstall, packageRoot, programFile } from "../../../std/program-files.ts"
import {
  framesOf,
  writeFrame,
  type Frame,
  type KeychainAnswer,
  type KeychainCall,
  type Keychain,
  type KeychainSettings,
} from "./keychain.ts"
import { keychainEnvironment, assertReady, isKeePassXc, preflight } from "./preflight.ts"

/** The time limit for all calls of one use. With the checks before and after it is 10 s. */
const useLimitMs = 5_000
/** The same where a person may have to answer for each key. Shorter than the process lives. */
const promptLimitMs = 60_000
const secondLookMs = 1_000

/**
 * Lends the keychain to `use`. Starts a process for it, which ends with it and is killed if it takes too long: 5 s, or
 * a minute where a person is asked about each item.
 * Checks the keychain's state before, and again if an item is missing or something failed, so that a locked
 * keychain is never taken for an empty one.
 *
 * @throws {Fault} `keychain_locked`, `keychain_unavailable`, `keychain_mismatch` when an item isn't
 * countersign's, and what `use` throws.
 */
export async function withKeychain<Output>(
  settings: KeychainSettings,
  use: (keychain: Keychain) => Promise<Output>,
  check = preflight,
): Promise<Output> {
  await assertReady(check)
  const session = startSession(settings, (await isKeePassXc()) ? promptLimitMs : useLimitMs)
  const assertStillReady = () => assertReady(check, secondLookMs)
  try {
    return await use(keychainOver(session.call, assertStillReady))
  } catch (error) {
    if (error instanceof Fault && error.code === "keychain_unavailable") await assertStillReady()
    throw error
  } finally {
    // Node reads a process's output into one buffer, where the last bytes stay until as many new ones come.
    await session.call({ verb: "cover", account: "" }).catch(() => undefined) // it ended: nothing more comes
    session.end()
  }
}

type Reply = { readonly isDone: boolean; readonly secret: Uint8Array }
type Call = (call: KeychainCall, secret?: Uint8Array) => Promise<Reply>

function keychainOver(call: Call, assertStillReady: () => Promise<void>): Keychain {
  return {
    getPassword: async (account) => {
      const { isDone, secret } = await call({ verb: "getPassword", account })
      if (isDone) return secret
      await assertStillReady()
      return undefined
    },
    setPassword: async (account, secret) => {
      await call({ verb: "setPassword", account }, secret)
    },
    deletePassword: async (account) => {
      const { isDone } = await call({ verb: "deletePassword", account })
      if (!isDone) await assertStillReady()
      return isDone
    },
  }
}

type Child = ChildProcessByStdio<Writable, Readable, null>

/** Starts the process, and passes calls to it until it is ended or its time is up. */
function startSession(
  settings: KeychainSettings,
  limitMs: number,
): { readonly call: Call; readonly end: () => void } {
  const child = startProcess(settings)
  const { failure, forget } = whenFailed(child, limitMs)
  const answers = framesOf(child.stdout)
  return {
    call: async (call, secret = new Uint8Array()) => {
      const exchange = writeFrame(child.stdin, { head: call, secret })
        .then(async () => (await answers.next()).value)
        .catch(() => undefined) // a broken pipe or frame; how the process ended says more
      const answer = await Promise.race([exchange, failure])
      if (answer !== undefined) return replyIn(answer)
      child.kill("SIGKILL")
      return failure
    },
    end: () => {
      forget()
      child.kill("SIGKILL") // whatever it answered is done
    },
  }
}

function startProcess({ driver, service, keytarDirectory }: KeychainSettings): Child {
  const entry = programFile("vault/keyring/keychain/keychain-process")
  const keytar = keytarDirectory === undefined ? [] : ["--keytar", keytarDirectory]
  const child = spawn(
    process.execPath,
    [...keychainProcessFlags(keytarDirectory), entry]
      .concat(["--driver", driver, "--service", service])
      .concat(keytar),
    { stdio: ["pipe", "pipe", "ignore"], env: keychainEnvironment() },
  )
  child.stdin.on("error", () => undefined) // told to the call that writes
  return child
}

/** `failure` rejects once the process has ended or its time is up, even if it can't be killed. */
function whenFailed(
  child: Child,
  limitMs: number,
): { readonly failure: Promise<never>; readonly forget: () => void } {
  let timer: NodeJS.Timeout | undefined
  const failure = new Promise<never>((_resolve, reject) => {
    child.once("error", () => reject(unavailable("The keychain's process can't be started")))
    child.once("exit", (status, signal) => {
      reject(unavailable(`The keychain's process ended (${signal ?? `status ${status ?? "?"}`})`))
    })
    timer = setTimeout(() => {
      child.kill("SIGKILL")
      reject(unavailable(`The keychain took longer than ${limitMs / 1000} s`))
    }, limitMs)
  })
  failure.catch(() => undefined) // told to the call that is under way, if one is
  return { failure, forget: () => clearTimeout(timer) }
}

function unavailable(what: string): Fault {
  const advice = "answer its prompt if it shows one, or restart it, then try again."
  return new Fault("keychain_unavailable", `${what}; ${advice}`)
}

const answerSchema: z.ZodType<KeychainAnswer> = z.discriminatedUnion("isOk", [
  z.strictObject({ isOk: z.literal(true), isDone: z.boolean() }),
  z.strictObject({
    isOk: z.literal(false),
    code: z.enum(["keychain_unavailable", "keychain_mismatch"]),
    message: z.string(),
  }),
])

/** Takes ownership of the frame's secret and overwrites it; the reply's is a copy. */
function replyIn({ head, secret }: Frame): Reply {
  return withSecret(secret, () => {
    const answer = answerSchema.parse(head)
    if (!answer.isOk) throw new Fault(answer.code, answer.message)
    return { isDone: answer.isDone, secret: copySecret(secret) }
  })
}

/**
 * Node's permission flags for the keychain's own process. It may read the program and load the library. No flag
 * restricts the library, because it is native code; it opens its sockets itself, so no network permission is needed.
 */
function keychainProcessFlags(keytarDirectory: string | undefined): readonly string[] {
  return [
    // Given here, they also keep Node from passing the parent's own flags on through NODE_OPTIONS.
    "--permission",
    "--allow-addons",
    ...codeDirectories(keytarDirectory).map((path) => `--allow-fs-read=${path}${sep}*`),
    ...ifKnown("--no-experimental-sqlite"),
    ...ifKnown("--disable-sigusr1"),
    "--disable-proto=throw",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
  ]
}

/** This package, where its dependencies are installed, and keytar with its own. */
function codeDirectories(keytarDirectory: string | undefined): readonly string[] {
  const library = fileURLToPath(import.meta.resolve("@napi-rs/keyring"))
  const given = keytarDirectory === undefined ? [] : [keytarDirectory]
  const paths = [packageRoot, library, ...given]
  return [...new Set([packageRoot, ...given, ...paths.flatMap(outermostInstall)])]
}
