import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { preflight, type KeychainState } from "../../src/vault/keyring/keychain/preflight.ts"
import { needs } from "./needs.ts"
import { until } from "./process-tree.ts"
import { endChild, placesIn, setEnvironment, startBus } from "./secret-service.ts"

/** A desktop's keychain on a bus of its own, open as after a login. */
export type DesktopKeychain = {
  /** Ends it and starts it anew, as a new login does. `false` starts it as if nobody had logged in. */
  login(isOpened?: boolean): Promise<void>
  /** Logs in for the first time where that makes a wallet: others see it from the next login on. */
  loginFirst(): Promise<void>
  stop(): Promise<void>
}

/** Options for a test with KWallet and KeePassXC. */
export function needsDesktopKeychains(): { readonly skip?: string } {
  const aptLine = "apt-get install libkf5wallet-bin libqca-qt5-2-plugins keepassxc dbus systemd"
  const [missing] = ["kwalletd5", "keepassxc", "keepassxc-cli", "python3", "busctl", "secret-tool"]
    .map((command) => needs(command, aptLine))
    .filter(({ skip }) => skip !== undefined)
  return missing ?? {}
}

/** Debian's kwalletd5. */
export async function startKWallet(): Promise<DesktopKeychain> {
  const keychain = await startDesktop((directory) => (isOpened) => {
    const args = isOpened ? ["-c", pamLogin, directory] : []
    return spawn(isOpened ? "python3" : "kwalletd5", args, { stdio: "ignore" })
  })
  const login = async (isOpened?: boolean): Promise<void> => {
    // A logout closes the wallet, which writes it; left alone it does so 5 s after a change.
    const daemon = ["org.kde.kwalletd5", "/modules/kwalletd5", "org.kde.KWallet"]
    const close = ["--user", "call", ...daemon, "close", "sb", "kdewallet", "true"]
    execFileSync("busctl", close, { stdio: "ignore", timeout: 10_000 })
    await keychain.login(isOpened)
  }
  return { ...keychain, login }
}

/** Debian's keepassxc with one database, whose root group it serves without asking a person. */
export function startKeePassXc(): Promise<DesktopKeychain> {
  return startDesktop((directory) => {
    const file = (name: string, content: string) => {
      writeFileSync(join(directory, name), content)
      return join(directory, name)
    }
    const [config, local] = [file("config.ini", keepassxcConfig), file("local.ini", "")]
    const database = join(directory, "secrets.kdbx")
    const quick = ["--set-password", "--decryption-time", "100"]
    execFileSync("keepassxc-cli", ["import", ...quick, file("db.xml", exposed), database], {
      input: "password\npassword\n",
      stdio: ["pipe", "ignore", "ignore"],
    })
    return (isOpened) => {
      const opening = isOpened ? ["--pw-stdin", database] : [database]
      const args = ["--config", config, "--localconfig", local, ...opening]
      const child = spawn("keepassxc", args, { stdio: ["pipe", "ignore", "ignore"] })
      child.stdin.end("password\n")
      return child
    }
  })
}

type Start = (isOpened: boolean) => ChildProcess

async function startDesktop(prepare: (directory: string) => Start): Promise<DesktopKeychain> {
  const directory = mkdtempSync(join(tmpdir(), "cs-desktop-"))
  const [config, cache] = [join(directory, "config"), join(directory, "cache")]
  for (const path of [config, cache]) mkdirSync(path, { mode: 0o700 })
  const restore = setEnvironment({
    ...placesIn(directory),
    XDG_CONFIG_HOME: config,
    XDG_CACHE_HOME: cache,
    QT_QPA_PLATFORM: "offscreen",
  })
  const bus = startBus(directory)
  await untilState("no_service")
  const start = prepare(directory)
  let running: ChildProcess | undefined
  const startAnew = async (isOpened: boolean, ...states: readonly KeychainState[]) => {
    await endChild(running, "SIGTERM") // it writes what it has
    await untilState("no_service")
    running = start(isOpened)
    await untilState(...states)
  }
  const login = (isOpened = true) =>
    startAnew(
      isOpened,
      ...(isOpened ? (["ready"] as const) : (["locked", "no_collection"] as const)),
    )
  const loginFirst = () => startAnew(true, "no_collection")
  const stop = async (): Promise<void> => {
    await endChild(running)
    await endChild(bus)
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
    restore()
  }
  return { login, loginFirst, stop }
}

async function untilState(...states: readonly KeychainState[]): Promise<void> {
  const isSo = async () => (states.includes(await preflight()) ? true : undefined)
  await until(isSo, `the keychain is ${states.join(" or ")}`)
}

// What the login's PAM module does: the password's hash by a pipe, the environment by a socket.
const pamLogin = `
import os, socket, sys
path = os.path.join(sys.argv[1], "environment")
if os.path.exists(path): os.unlink(path)
listening = socket.socket(socket.AF_UNIX); listening.bind(path); listening.listen(1)
given = socket.socket(socket.AF_UNIX); given.connect(path)
for name, value in os.environ.items():
    if "\\n" not in value: given.send(f"{name}={value}\\n".encode())
given.close()
reading, writing = os.pipe(); os.write(writing, b"x" * 56); os.close(writing)
os.environ["PAM_KWALLET5_LOGIN"] = path
for each in (reading, listening.fileno()): os.set_inheritable(each, True)
os.execvp("kwalletd5", ["kwalletd5", "--pam-login", str(reading), str(listening.fileno())])
`

const keepassxcConfig = `[General]
ConfigVersion=2
UpdateCheckMessageShown=true
SingleInstance=false
[FdoSecrets]
Enabled=true
ConfirmAccessItem=false
ConfirmDeleteItem=false
ShowNotification=false
UnlockBeforeSearch=false
[GUI]
CheckForUpdates=false
`

const exposed = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<KeePassFile><Meta><Generator>KeePassXC</Generator><DatabaseName>secrets</DatabaseName>
<RecycleBinEnabled>True</RecycleBinEnabled><CustomData><Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key>
<Value>{00112233-4455-6677-8899-aabbccddeeff}</Value></Item></CustomData></Meta>
<Root><Group><UUID>ABEiM0RVZneImaq7zN3u/w==</UUID><Name>Root</Name></Group></Root></KeePassFile>
`
