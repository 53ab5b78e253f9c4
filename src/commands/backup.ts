import { constants } from "node:fs"
import { copyFile, link, lstat, open, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"

import { Fault } from "../std/fault.ts"
import { verifyBackup } from "../vault/ledger/sqlite/verify-backup.ts"
import { option, required } from "./cli/options.ts"
import type { Admin } from "./installation/admin.ts"
import { installationCommand } from "./installation/installation-command.ts"
import { withAdmin } from "./installation/with-vault.ts"

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
    return withAdmin(installation, (admin) => copyTo(to, admin))
  },
  print: ({ file, head_seq }) => [
    `Wrote ${file}: the ledger up to entry ${head_seq}, checked.`,
    "It doesn't hold keys (keystore/, keychain/, the passphrase), countersign.yaml, venue.yaml, policies/ or archives: copy those separately.",
    "It never holds signers' marks: by them the vault notices a restored ledger. docs/operations/backups.md says how to restore.",
  ],
})

async function copyTo(to: string, admin: Admin) {
  const file = await copyLedger(admin)
  try {
    const { seq, hash } = verifyBackup(file)
    await place(file, to)
    const params = { head_seq: seq, head_hash: hash }
    const { record } = await admin.call("recordBackup", params)
    return { file: to, ...params, record }
  } finally {
    await rm(file, { force: true })
  }
}

/** Asks again until it is done: a call of the socket has a bound, a large ledger hasn't. */
async function copyLedger(admin: Admin): Promise<string> {
  let copy = await admin.call("copyLedger", {})
  while (!copy.is_done) copy = await admin.call("copyLedger", { file: copy.file })
  return copy.file
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
    const message = `${to} can't be written (${codeOf(cause)}); check the disk and the directory's owner.`
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

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
}
