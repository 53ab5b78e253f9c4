import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { copyFile, link, lstat, open, readdir, rm, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

import { copyLedger, verifyBackup } from "../audit/open-ledger.ts"
import { Fault } from "../std/fault.ts"
import { codeOf } from "../std/private-file.ts"
import { sizeText } from "../std/size.ts"
import type { Installation } from "../vault/config/installation.ts"
import { ledgerBytes } from "../vault/status/watch-disk.ts"
import { freeBytesAt, freeText, makeRoom, openDiskSpace } from "../vault/watch/disk-space.ts"
import { option, required } from "./cli/command.ts"
import { type Admin, loadConfig, withAdmin } from "./installation/admin.ts"
import { installationCommand } from "./installation/installation-command.ts"

/** `countersign backup --to FILE` */
export const backup = installationCommand({
  changes: "installation",
  description: "copy the ledger into a file, while requests go on, and check it",
  examples: [
    "countersign backup --to /mnt/backup/ledger-2026-06-01.db",
    "countersign backup --to ./ledger-copy.db --json",
  ],
  options: {
    to: required(option("--to <file>", "a new file, on a disk of this machine or a mounted one")),
  },
  answer: async (installation, options) => {
    const to = resolve(options.to)
    await assertFree(to)
    return withAdmin(installation, (admin) => copyTo(to, installation, admin))
  },
  print: ({ file, head_seq }) => [
    `Wrote ${file}: the ledger up to entry ${head_seq}, checked.`,
    "It doesn't hold keys (keystore/, keychain/, the passphrase), countersign.yaml, venue.yaml, policies/ or archives: copy those separately.",
    "It never holds signers' marks: by them the vault notices a restored ledger. docs/operations/backups.md says how to restore.",
  ],
})

/** Copies the ledger to the new file `to`, checks the copy, and has it recorded. @throws {Fault} */
export async function copyTo(
  to: string,
  installation: Installation,
  { call, readLedger }: Pick<Admin, "call" | "readLedger">,
) {
  const file = await prepareCopy(installation)
  try {
    await readLedger((ledger) => copyLedger(ledger, file))
    const { seq, hash } = verifyBackup(file)
    await place(file, to)
    const params = { head_seq: seq, head_hash: hash }
    const { record } = await call("recordBackup", params)
    return { file: to, ...params, record }
  } finally {
    await rm(file, { force: true })
  }
}

/** Makes the file of the copy, beside the ledger: another file system may lack the locks that SQLite needs. */
async function prepareCopy(installation: Installation): Promise<string> {
  const { stateDir } = installation
  await removeOldCopies(stateDir)
  await assertRoom(installation)
  const file = join(stateDir, `backup-${randomBytes(8).toString("hex")}.db`)
  try {
    await (await open(file, "wx", 0o600)).close()
    return file
  } catch (cause) {
    throw new Fault("ledger_unavailable", `${file} can't be made; check the disk.`, { cause })
  }
}

/** What is kept free is for cancels. */
async function assertRoom(installation: Installation): Promise<void> {
  const { minFreeBytes } = await loadConfig(installation)
  const disk = openDiskSpace(() => freeBytesAt(installation.stateDir), minFreeBytes)
  await disk.look()
  const low = disk.lowWith(await ledgerBytes(installation))
  if (low === undefined) return
  const needed = sizeText(low.minFreeBytes)
  const message = `${freeText(low)}, and a copy beside what ledger.min_free asks for needs ${needed}; ${makeRoom}.`
  throw new Fault("ledger_unavailable", message)
}

const copyPattern = /^backup-[0-9a-f]{16}\.db$/
/** One that is at work writes its copy again and again. */
const cutOffMs = 3_600_000

/** Those of commands that were cut off. */
async function removeOldCopies(stateDir: string): Promise<void> {
  const copies = (await readdir(stateDir)).filter((name) => copyPattern.test(name))
  for (const file of copies.map((name) => join(stateDir, name))) {
    const mtimeMs = (await stat(file).catch(() => undefined))?.mtimeMs // another backup took its own away
    if (Date.now() - (mtimeMs ?? Infinity) > cutOffMs) await rm(file, { force: true })
  }
}

/** @throws {Fault} `usage` when something is there: a backup never overwrites another. */
async function assertFree(to: string): Promise<void> {
  const there = await lstat(to).catch(() => undefined)
  if (there !== undefined) throw taken(to)
}

/** A second name for the copy where that can be, else a copy of it; whole and durable when this resolves. */
async function place(file: string, to: string): Promise<void> {
  try {
    await link(file, to).catch(async (cause: unknown) => {
      if (codeOf(cause) === "EEXIST") throw taken(to)
      await copyChecked(file, to)
    })
    await sync(to)
    await sync(dirname(to))
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const message = `${to} can't be written (${codeOf(cause) ?? "unknown error"}); check the disk and the directory's owner.`
    throw new Fault("ledger_unavailable", message, { cause })
  }
}

async function copyChecked(file: string, to: string): Promise<void> {
  try {
    await copyFile(file, to, constants.COPYFILE_EXCL) // with the copy's mode, 0600
    await sync(to)
    verifyBackup(to)
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") throw taken(to)
    await rm(to, { force: true })
    throw cause
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function taken(to: string): Fault {
  return new Fault("usage", `${to} exists already; name a file that isn't there.`)
}
