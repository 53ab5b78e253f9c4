import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { text } from "node:stream/consumers"

import { parse, stringify } from "yaml"

import { countersign } from "../../support/countersign.ts"
import { hostRole } from "../../support/postgres-server.ts"
import type { Settings } from "../case.ts"
import { launcherOf } from "../daemon/built-program.ts"
import type { Site } from "../daemon/make-site.ts"
import { serveSite } from "../daemon/serve-site.ts"
import type { Servers } from "./servers.ts"

/** One host of a ledger on PostgreSQL. */
export type Host = Pick<Site, "dir" | "serve">

type Way = Pick<Settings, "program"> & { readonly servers: Servers }

/** Moves the ledger of a site that doesn't run to a database of its own, where it goes on as the one host, `a`. */
export async function moveSite(
  site: Site,
  database: string,
  { program, servers }: Way,
): Promise<Host> {
  const { dir } = site
  prepareHost(dir, servers)
  writeLedger(dir, { engine: "postgres", host: "a", database })
  servers.primary.sql(`CREATE DATABASE ${database}`, "postgres")
  await pipeLedger(dir, database, { program, servers })
  return site
}

/** Moves it as {@link moveSite} does, and has hosts `b` and `c` come to it; each is a directory beside the first's. */
export async function growToThree(
  site: Site,
  database: string,
  { program, servers }: Way,
): Promise<readonly Host[]> {
  await moveSite(site, database, { program, servers })
  const dirs = [site.dir, ...["b", "c"].map((name) => copyHost(site.dir, name))]
  const keys = await Promise.all(dirs.map(hostKey))
  const hosts = Object.fromEntries(keys.map((key, index) => [nameOf(index), { key }]))
  return dirs.map((dir, index) => {
    prepareHost(dir, servers)
    writeLedger(dir, { engine: "postgres", host: nameOf(index), database, fleet: { hosts } })
    return { dir, serve: () => serveSite({ program, dir, bots: site.bots }) }
  })
}

function nameOf(index: number): string {
  return "abc"[index] ?? ""
}

/** Its certificates, and its relay's configuration. */
function prepareHost(dir: string, { place, primary }: Servers): void {
  const { ca, clients } = place.certificates
  const { certificate, key } = clients[hostRole]
  for (const file of [ca, certificate, key]) cpSync(file, join(dir, basename(file)))
  const relay = {
    servers: [{ name: "db1", address: `localhost:${primary.port}` }],
    ...{ ca: basename(ca), certificate: basename(certificate), key: basename(key) },
  }
  writeFileSync(join(dir, "relay.yaml"), stringify(relay), { mode: 0o600 })
}

/** The marks of signers are each host's own. */
function writeLedger(dir: string, ledger: Readonly<Record<string, unknown>>): void {
  const file = join(dir, "countersign.yaml")
  const config = parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>
  const ofHost = { signer_dir: join(dir, `../signers-${basename(dir)}`), archive: "off" }
  const written = stringify({ ...config, ...ofHost, ledger: { min_free: 0, ...ledger } })
  writeFileSync(file, written, { mode: 0o600 })
}

/** `countersign ledger move | psql`: a large one fits in no text. */
async function pipeLedger(dir: string, database: string, { program, servers }: Way): Promise<void> {
  const { data, port } = servers.primary
  const args = [await launcherOf(program), "ledger", "move", "--dir", dir]
  const move = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const where = ["-h", data, "-p", String(port), "-U", "admin", "-d", database]
  const psql = spawn("psql", ["-Xq", "-v", "ON_ERROR_STOP=1", ...where], {
    stdio: [move.stdout, "ignore", "pipe"],
  })
  const [[moved], [taken], stderr] = (await Promise.all([
    once(move, "exit"),
    once(psql, "exit"),
    text(psql.stderr),
  ])) as [[number | null], [number | null], string]
  assert.deepEqual([moved, taken], [0, 0], stderr)
}

/** A new machine with the same files, but no key of the first's own. */
function copyHost(dir: string, name: string): string {
  const to = join(dir, "..", name)
  const own = ["ledger.key", "admin.secret"].map((file) => join(dir, file))
  cpSync(dir, to, { recursive: true, filter: (from) => !own.includes(from) })
  return to
}

async function hostKey(dir: string): Promise<string> {
  const { code, stdout, stderr } = await countersign(["ledger", "host-key", "--dir", dir])
  assert.equal(code, 0, stderr)
  return stdout.trim().split("\n").at(-1) ?? ""
}
