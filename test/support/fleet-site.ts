// Three hosts with one ledger, each in a directory of its own, and the two servers that they share: made as
// docs/operations/fleet.md says.

import assert from "node:assert/strict"
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { parse, stringify } from "yaml"

import { bot, type Bot } from "./bot.ts"
import {
  countersign,
  makePassphraseFileInstallation,
  serve,
  type Ended,
  type Served,
  type StartOptions,
} from "./countersign.ts"
import { readRepositoryFile } from "./markdown.ts"
import { pageBlocks } from "./page-blocks.ts"
import { openPage, type PlayedPage } from "./play-page.ts"
import {
  hostRole,
  postgresPlace,
  startPrimary,
  startStandby,
  type PostgresPlace,
  type PostgresServer,
} from "./postgres-server.ts"
import { killAllNaming, processesBelow, signalProcess, until } from "./process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "./trading-keys.ts"

export const fleetPage = "docs/operations/fleet.md"

export const hostNames = ["a", "b", "c"] as const
export type HostName = (typeof hostNames)[number]

/** One host: what would be a machine of its own. */
export type FleetHost = {
  readonly name: HostName
  readonly dir: string
  /** Starts its daemon, and waits until it signs. */
  start(options?: StartOptions): Promise<void>
  stop(): Promise<void>
  /** Sends a signal to all of its processes at once. */
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void
  daemon(): Served
  /** Resolves once it signs. */
  untilReady(): Promise<void>
  /** Runs a command here. */
  run(...args: readonly string[]): Promise<Ended>
  bot(token?: string): Bot
  /** Plays a section of the page here, and returns what is printed. */
  plays(title: string): Promise<string>
  readonly config: ConfigFile
}

/** A host's countersign.yaml. */
export type ConfigFile = { read(): Config; write(config: Config): void }

export type FleetSite = {
  readonly hosts: Readonly<Record<HostName, FleetHost>>
  readonly servers: { readonly db1: PostgresServer; readonly db2: PostgresServer }
  readonly place: PostgresPlace
  readonly page: PlayedPage
  /** Of the client `bot`. */
  readonly token: string
  remove(): Promise<void>
}

/** Makes the servers, and host `a` alone on them, as docs/operations/postgres.md says. It doesn't run. */
export async function makeFleet(policies: Readonly<Record<string, string>>): Promise<FleetSite> {
  const place = postgresPlace()
  const servers = await startServers(place)
  const installation = await makePassphraseFileInstallation()
  const { home, dir } = installation
  for (const [name, text] of Object.entries(policies)) await writePolicy(dir, text, name)
  await makeTradingKeys(dir)
  const token = await addClient(dir, "bot")
  const page = openPage(readRepositoryFile(fleetPage))
  const at = { home, token, page }
  const hosts = {
    a: fleetHost("a", dir, at),
    b: fleetHost("b", join(home, "b"), at),
    c: fleetHost("c", join(home, "c"), at),
  }
  for (const host of Object.values(hosts)) prepare(host, { place, servers })
  await moveThere(hosts.a, servers.db1)
  return {
    ...{ hosts, servers, place, page, token },
    async remove() {
      await killAllNaming(home)
      await installation.remove()
      for (const server of Object.values(servers)) await server.stop()
      place.remove()
    },
  }
}

type Servers = FleetSite["servers"]

/** Each waits for the other, as the page says. */
async function startServers(place: PostgresPlace): Promise<Servers> {
  const db1 = await startPrimary(place)
  const db2 = await startStandby(place, db1, { name: "db2" })
  const [ofDb1 = "", ofDb2 = ""] = blocksOf(fleetPage, "")
  const [, hbaLine = ""] = blocksOf("docs/operations/postgres.md", "")
  setUp(db1, { setting: ofDb1, hbaLine })
  setUp(db2, { setting: ofDb2, hbaLine })
  return { db1, db2 }
}

function setUp(server: PostgresServer, lines: { setting: string; hbaLine: string }): void {
  appendFileSync(join(server.data, "postgresql.conf"), lines.setting)
  const ours = "local all admin trust\nlocal replication admin trust\n"
  writeFileSync(join(server.data, "pg_hba.conf"), `${ours}${lines.hbaLine}`)
  server.sql("SELECT pg_reload_conf()")
}

/** The blocks of a page in a language, in order. */
export function blocksOf(page: string, language: string): readonly string[] {
  const blocks = pageBlocks(readRepositoryFile(page))
  return blocks.filter((block) => block.language === language).map(({ text }) => text)
}

/** A new machine: its directories, certificates and relay.yaml. */
function prepare(
  { name, dir }: FleetHost,
  { place, servers }: Pick<FleetSite, "place" | "servers">,
): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const { ca, clients } = place.certificates
  const { certificate, key } = clients[hostRole]
  cpSync(ca, join(dir, "ca.crt"))
  cpSync(certificate, join(dir, `host-${name}.crt`))
  cpSync(key, join(dir, `host-${name}.key`))
  const relay = readRepositoryFile(`examples/fleet/${name}/relay.yaml`)
    .replace("db1.internal:5432", `localhost:${servers.db1.port}`)
    .replace("db2.internal:5432", `localhost:${servers.db2.port}`)
  writeFileSync(join(dir, "relay.yaml"), relay, { mode: 0o600 })
}

/** Host `a` alone has its ledger on PostgreSQL: no hosts are named. */
async function moveThere(a: FleetHost, server: PostgresServer): Promise<void> {
  a.config.write(aloneConfig(a))
  const [moving = ""] = blocksOf("docs/operations/postgres.md", "sh")
  const psql = moving.split("\n").find((line) => line.startsWith("psql "))
  const { code, stdout, stderr } = await a.run("ledger", "move")
  assert.equal(code, 0, stderr)
  server.psql(psql ?? "", stdout)
}

/** Has `b` and `c` come to `a`, which runs. */
export async function growToThree({ hosts: { a, b, c } }: FleetSite): Promise<void> {
  const said = [await a.plays("On the first host")]
  for (const host of [b, c]) said.push(await host.plays("On each new host"))
  const keys = said.map((text) => text.trim().split("\n").at(-1))
  const listed = hostNames.map((name, index) => [name, { key: keys[index] }] as const)
  for (const host of [a, b, c]) {
    const { ledger, ...rest } = exampleConfig(host)
    const fleet = { hosts: Object.fromEntries(listed) }
    host.config.write({ ...rest, ledger: { ...ledger, fleet } })
  }
  await a.stop()
  for (const host of [a, b, c]) await host.start()
}

/** What the example of a host has as its countersign.yaml, with this machine's paths. */
export function exampleConfig({ name, dir }: FleetHost): Config {
  const example = parse(readRepositoryFile(`examples/fleet/${name}/countersign.yaml`)) as Config
  const home = join(dir, "..")
  return {
    ...example,
    keystore: { ...example.keystore, passphrase_file: join(home, "passphrase") },
    // Each is a machine of its own.
    signer_dir: join(home, `signers-${name}`),
  }
}

/** The same without the hosts beside it. */
export function aloneConfig(host: FleetHost): Config {
  const { ledger, ...rest } = exampleConfig(host)
  return { ...rest, ledger: { engine: ledger["engine"], host: ledger["host"] } }
}

export type Config = {
  readonly keystore: Readonly<Record<string, string>>
  readonly ledger: Readonly<Record<string, unknown>>
  readonly expires_in?: Readonly<Record<string, string>>
  readonly signer_dir?: string
}

type Around = Pick<FleetSite, "page" | "token"> & { readonly home: string }

function fleetHost(name: HostName, dir: string, { home, page, token }: Around): FleetHost {
  let served: Served | undefined
  const daemon = (): Served => {
    assert.ok(served !== undefined, `${name} was started`)
    return served
  }
  const untilReady = async (): Promise<void> => {
    const isReady = async () => {
      const answer = await fetch(`${daemon().url}/readyz`).catch(() => undefined)
      return answer?.status === 200 ? true : undefined
    }
    await until(isReady, `${name} is ready: ${daemon().stderr()}`)
  }
  const file = join(dir, "countersign.yaml")
  return {
    ...{ name, dir, daemon, untilReady },
    async start(options = {}) {
      served = await serve(dir, [], options)
      await untilReady()
    },
    async stop() {
      const code = await daemon().stop()
      assert.equal(code, 0, daemon().stderr())
    },
    signal(signal) {
      const { pid } = daemon()
      for (const each of [pid, ...processesBelow(pid).map(({ pid: child }) => child)])
        signalProcess(each, signal)
    },
    run: (...args) => countersign([...args, "--dir", dir]),
    bot: (own = token) => bot(daemon().url, own),
    plays: (title) => page.play(title, { home, dir, url: served?.url ?? "", token }),
    config: {
      read: () => parse(readFileSync(file, "utf8")) as Config,
      write: (config) => writeFileSync(file, stringify(config), { mode: 0o600 }),
    },
  }
}
