import { Fault } from "../../std/fault.ts"
import {
  assertReady,
  preflight,
  type KeychainState,
} from "../../vault/keyring/keychain/preflight.ts"
import { chooseBackend } from "../init/choose-backend.ts"
import { fail, ok, type Finding } from "./finding.ts"

/** Whether keys could rest in the operating system's keychain here, and why not. */
export type KeychainLook =
  | { readonly kind: "works" }
  | { readonly kind: "fails"; readonly state: KeychainState; readonly why: string }

/** Asks for the keychain's state and, where it is unlocked, stores and deletes a trial item. */
export async function lookAtKeychain(
  check = preflight,
  choose: () => ReturnType<typeof chooseBackend> = chooseBackend,
): Promise<KeychainLook> {
  const state = await check()
  if (state !== "ready") return { kind: "fails", state, why: await sentenceOf(state) }
  const { backend, why } = await choose()
  return backend === "keychain" ? { kind: "works" } : { kind: "fails", state, why }
}

async function sentenceOf(state: KeychainState): Promise<string> {
  try {
    await assertReady(() => Promise.resolve(state))
    return ""
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

/** A keychain that can't be used is a failure where keys rest in it, and good to know elsewhere. */
export function keychainFinding(look: KeychainLook, isUsed: boolean): Finding {
  if (look.kind === "works") {
    const use = isUsed ? "and keys rest in it" : "and keys could rest in it; a keystore is used"
    return ok("keychain", `It is unlocked, stores and deletes a trial item, ${use}.`)
  }
  if (isUsed) return fail("keychain", look.why, fixes[look.state])
  return ok("keychain", `It can't be used here, and no key rests in it. ${look.why}`)
}

const fixes: Readonly<Record<KeychainState, string>> = {
  ready: "npm rebuild, or reinstall countersign for this system",
  locked: "gnome-keyring-daemon --unlock, or log in to the desktop",
  no_collection: "gnome-keyring-daemon --unlock, or make a default keyring in Seahorse",
  no_service: "apt-get install gnome-keyring",
  no_bus: "export DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$(id -u)/bus",
  hangs: "systemctl --user restart gnome-keyring-daemon",
  no_program: "apt-get install dbus-bin",
}
