import { join, dirname, sep } from "node:path"
import { fileURLToPath } from "node:url"

import { ifKnown, outermostInstall, packageRoot } from "../../std/program-files.ts"
import { usualSignerDir, type Installation } from "../../vault/config/installation.ts"
import { nativeCurveFlags } from "../../vault/keyring/curve.ts"
import { bootIdFile } from "../../vault/process/clock.ts"

/**
 * Node's permission model for the vault: it reads the program, the configuration and its passphrase file,
 * writes its state, starts the ledger's worker, and loads the curve; and what keeps it small. Node calls this a seat belt, not a boundary; the
 * boundary is the unit file.
 */
export function vaultFlags(
  { configDir, stateDir }: Installation,
  {
    passphraseFile,
    usesKeychain,
    signerDir = usualSignerDir(),
  }: {
    readonly passphraseFile: string | undefined
    readonly usesKeychain: boolean
    /** The usual one if left out. */
    readonly signerDir?: string
  },
): readonly string[] {
  const secretFile = passphraseFile === undefined ? [] : [passphraseFile]
  return [
    "--permission",
    ...readFlags(
      [...gateAppDirectories(), configDir, stateDir, signerDir],
      [bootIdFile, ...secretFile],
    ),
    `--allow-fs-write=${stateDir}`,
    `--allow-fs-write=${signerDir}`,
    "--allow-worker",
    // The vault gives it up once the curve is loaded.
    ...nativeCurveFlags(),
    // The keychain is spoken to in a process of its own.
    ...(usesKeychain ? ["--allow-child-process"] : []),
    // As of Node 26 even a Unix socket needs it; the vault gives it up once its sockets listen.
    ...ifKnown("--allow-net"),
    ...ifKnown("--disable-sigusr1"),
    "--disable-proto=throw",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    ...memoryFlags,
  ]
}

/** The gate's: it reads its own code and its own secrets. */
export function gatePermissionFlags(
  appDirectories: readonly string[],
  notifyDirectory?: string,
): readonly string[] {
  return networkFlags([
    ...readFlags(appDirectories),
    ...(notifyDirectory === undefined ? [] : [`--allow-fs-read=${join(notifyDirectory, "*")}`]),
  ])
}

/** The directories that hold the gate's code: this package, and where its dependencies are installed. */
export function gateAppDirectories(): readonly string[] {
  const dependency = fileURLToPath(import.meta.resolve("express"))
  const installs = [packageRoot, dependency].flatMap(outermostInstall)
  return [packageRoot, ...new Set(installs.filter((path) => !isWithin(path, packageRoot)))]
}

/** The relay's: it reads its own code, relay.yaml and what that names. */
export function relayFlags(
  directories: readonly string[],
  files: readonly string[] = [],
): readonly string[] {
  return networkFlags(readFlags(directories, files))
}

/**
 * Lets a process under the permission model read `files`, and `directories` with all below them.
 *
 * As of Node 26 no directory can be granted whose path another granted path goes on with (`/a/d` beside `/a/d.pass`
 * or `/a/d-2`): what is in it can be read then, and it itself can't. There, what holds it is granted in its place.
 */
export function readFlags(
  directories: readonly string[],
  files: readonly string[] = [],
): readonly string[] {
  const paths = [...directories, ...files]
  const hasNamesake = (directory: string): boolean =>
    paths.some((path) => path.startsWith(directory) && !isWithin(path, directory))
  const granted = directories.map((each) => (hasNamesake(each) ? dirname(each) : each))
  return [...granted.map((each) => join(each, "*")), ...files].map(
    (path) => `--allow-fs-read=${path}`,
  )
}

/** Whether `path` is `directory` or below it. */
function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}${sep}`)
}

/**
 * What keeps gate and vault small: how many MB of each thread's new values V8 gathers before it looks for those still in
 * use, of which a request leaves hardly any; and by how much all may grow before it looks through the old ones. It
 * looks in the thread itself: threads of its own would take the cores from gate and vault.
 */
export const memoryFlags: readonly string[] = [
  "--max-semi-space-size=8",
  "--single-threaded-gc",
  "--heap-growing-percent=50",
  // Else V8 goes through a whole heap again and again where little goes on, and requests wait for that.
  "--no-memory-reducer",
]

/** glibc would begin an arena for each thread, and keep in it what was freed there. */
export const memoryVariables: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "2" }

/**
 * Flags of a process that faces the network: it reads what `reads` grants, and writes no file, starts no process, no
 * worker, no addon, no inspector; and those that keep it small. They restrict accidents and ordinary bugs; against hostile
 * code in the process the unit file is the boundary.
 */
function networkFlags(reads: readonly string[]): readonly string[] {
  return [
    "--permission",
    ...reads,
    // Node 26 needs it even for Unix sockets; to Node 24, which doesn't restrict the network, it is a bad option.
    ...ifKnown("--allow-net"),
    // node:sqlite asks the permission model nothing, and could write files.
    ...ifKnown("--no-experimental-sqlite"),
    "--disable-sigusr1",
    // Not `throw`: a header or an answer's header of that name would end the process, in Node's own parser.
    "--disable-proto=delete",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    ...memoryFlags,
  ]
}
