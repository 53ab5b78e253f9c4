// PostgreSQL servers of a test's own: as an ordinary user, in a temporary directory, on loopback.

import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"

import { type Certificates, makeCertificates } from "./certificates.ts"
import { needs } from "./needs.ts"

export const needsPostgres = needs("pg_ctlcluster", "apt-get install postgresql")

/** The role that hosts have, and so the name in their certificate. */
export const hostRole = "countersign_host"

/** Where servers of one test lie, with what they and their clients are known by. */
export type PostgresPlace = {
  readonly directory: string
  readonly certificates: Certificates<typeof hostRole | "stranger">
  remove(): void
}

/** Makes a place that PostgreSQL's user may enter. */
export function postgresPlace(): PostgresPlace {
  const directory = mkdtempSync(join(tmpdir(), "countersign-postgres-"))
  chmodSync(directory, 0o711)
  const certificates = makeCertificates(join(directory, "tls"), { clients: [hostRole, "stranger"] })
  return {
    directory,
    certificates,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export type PostgresServer = {
  readonly port: number
  /** Its directory. */
  readonly data: string
  /** Runs SQL as the server's admin, over its Unix socket, and returns what is shown without headings. */
  sql(text: string, database?: string): string
  /** As `sql`, while all else goes on. */
  ask(text: string, database?: string): Promise<string>
  /** Runs a psql line of a page as the server's admin; `file` is what its --file names. */
  psql(line: string, file: string): void
  /** Stops all its processes where they are, and lets them go on, unless it has ended. */
  pause(): void
  goOn(): void
  /** Starts it, and waits until it answers. */
  start(): Promise<void>
  /** Kills the server and all its children, as a power loss does. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root. */
const account = process.getuid?.() === 0 ? accountOf("postgres") : undefined

function accountOf(name: string): { readonly uid: number; readonly gid: number } {
  const id = (flag: string): number =>
    Number(execFileSync("id", [flag, name], { encoding: "utf8" }))
  return { uid: id("-u"), gid: id("-g") }
}

function program(name: string): string {
  const bindir = execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim()
  return join(bindir, name)
}

/** No test loses what a server is made of, and a thousand files take a busy disk many seconds. */
const unsynced = "--no-sync"

/** Makes a primary with an empty database `countersign` and starts it. */
export async function startPrimary(place: PostgresPlace): Promise<PostgresServer> {
  const data = join(place.directory, "primary")
  mkOwn(data)
  const making = ["-D", data, "-U", "admin", "--auth=trust", "-E", "UTF8", unsynced]
  execFileSync(program("initdb"), making, { ...asAccount(data), stdio: "pipe" })
  const server = await prepareServer(place, data)
  await server.start()
  server.sql("CREATE DATABASE countersign", "postgres")
  return server
}

/**
 * Makes a standby of `primary` and starts it; the primary knows it by that name. It takes the same certificates, and
 * settings where it is promoted.
 */
export async function startStandby(
  place: PostgresPlace,
  primary: PostgresServer,
  { name, directory = name }: { readonly name: string; readonly directory?: string },
): Promise<PostgresServer> {
  const data = join(place.directory, directory)
  mkOwn(data)
  const from = `host=${primary.data} port=${primary.port} user=admin`
  const conninfo = `${from} application_name=${name}`
  const taking = ["-D", data, "-d", conninfo, "-R", "-c", "fast", unsynced]
  await promisify(execFile)(program("pg_basebackup"), taking, asAccount(data))
  const port = await freePort()
  // What comes last counts.
  appendFileSync(
    join(data, "postgresql.conf"),
    `port = ${port}\nunix_socket_directories = '${data}'\n`,
  )
  const standby = serverIn(data, port)
  await standby.start()
  return standby
}

function asAccount(cwd: string) {
  return { ...account, cwd, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } }
}

function mkOwn(directory: string): void {
  mkdirSync(directory, { mode: 0o700 })
  if (account !== undefined) chownSync(directory, account.uid, account.gid)
}

async function prepareServer(place: PostgresPlace, data: string): Promise<PostgresServer> {
  const port = await freePort()
  const { ca, serverCertificate, serverKey } = place.certificates
  for (const [from, name] of [
    [ca, "ca.crt"],
    [serverCertificate, "server.crt"],
    [serverKey, "server.key"],
  ] as const) {
    cpSync(from, join(data, name))
    chmodSync(join(data, name), 0o600)
    if (account !== undefined) chownSync(join(data, name), account.uid, account.gid)
  }
  appendFileSync(join(data, "postgresql.conf"), settingsOf(data, port))
  writeFileSync(
    join(data, "pg_hba.conf"),
    "local all admin trust\nlocal replication admin trust\nhostssl all all 127.0.0.1/32 cert\n",
  )
  return serverIn(data, port)
}

/** After a kill a server makes durable what it finds: of dozens of databases, file by file, that takes a busy disk minutes. */
function settingsOf(data: string, port: number): string {
  return `
recovery_init_sync_method = syncfs
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${data}'
ssl = on
ssl_ca_file = 'ca.crt'
ssl_cert_file = 'server.crt'
ssl_key_file = 'server.key'
max_connections = 20
shared_buffers = 16MB
logging_collector = off
`
}

/** Bytes: a test reads pages of a ledger. */
const longestAnswer = 64 * 1_048_576

function serverIn(data: string, port: number): PostgresServer {
  let child: ChildProcess | undefined
  const ended = async (signal: NodeJS.Signals): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, "exit")
    if (signal === "SIGKILL") signalAll(child, signal)
    else child.kill(signal)
    await exit
  }
  const words = (database: string): readonly string[] => {
    const where = ["-h", data, "-p", String(port), "-U", "admin", "-d", database]
    return ["-XAtq", "-v", "ON_ERROR_STOP=1", ...where]
  }
  const sql = (text: string, database = "countersign"): string => {
    const shown = execFileSync("psql", words(database), {
      ...asAccount(data),
      input: text,
      encoding: "utf8",
      stdio: "pipe",
    })
    return shown.trim()
  }
  const ask = async (text: string, database = "countersign"): Promise<string> => {
    const asking = promisify(execFile)("psql", words(database), {
      ...asAccount(data),
      maxBuffer: longestAnswer,
    })
    asking.child.stdin?.end(text)
    return (await asking).stdout.trim()
  }
  return {
    port,
    data,
    sql,
    ask,
    async start() {
      const [postgres, ready] = [program("postgres"), program("pg_isready")]
      const options = { ...asAccount(data), detached: true, stdio: "ignore" } as const
      child = spawn(postgres, ["-D", data], options)
      await untilDone(() => {
        // It ends at once while a process of one that was killed is still there.
        if (child?.exitCode !== null) child = spawn(postgres, ["-D", data], options)
        return promisify(execFile)(ready, ["-h", data, "-p", String(port)])
      })
    },
    psql(line, file) {
      const [, ...words] = line.split(" ")
      const given = words.map((word) => (word.startsWith("--file=") ? "--file=-" : word))
      execFileSync("psql", ["-h", data, "-p", String(port), "-U", "admin", ...given], {
        ...asAccount(data),
        input: file,
        stdio: "pipe",
      })
    },
    pause: () => signalAll(child, "SIGSTOP"),
    goOn: () => {
      if (child?.exitCode === null && child.signalCode === null) signalAll(child, "SIGCONT")
    },
    kill: () => ended("SIGKILL"),
    stop: () => ended("SIGINT"),
  }
}

/** The server's children each lead a process group of their own, as PostgreSQL has it. It makes none while it is stopped. */
function signalAll(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  const pid = child?.pid ?? 0
  process.kill(pid, "SIGSTOP")
  while (!/\) [TZ] /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  for (const each of [...childrenOf(pid), pid]) {
    try {
      process.kill(each, signal)
    } catch {
      // one that has ended meanwhile
    }
  }
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
  return text.split(" ").filter(Boolean).map(Number)
}

/** Asked of the system; another process could take it before the server does. */
/** Below those that clients are given: one of them could take the port of a server that was killed, and keep it. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer()
    try {
      await once(server.listen(port, "127.0.0.1"), "listening")
    } catch {
      continue // taken
    }
    server.close()
    return port
  }
}

async function untilDone(ask: () => Promise<unknown>): Promise<void> {
  const endMs = performance.now() + 30_000
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (performance.now() > endMs) throw error
      await pause(50)
    }
  }
}
