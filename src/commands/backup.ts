import { constants } from "node:fs"
import { copyFile, link, lstat, open, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"

import type { Command } from "commander"

import { Fault } from "../std/fault.ts"
import { verifyBackup } from "../vault/ledger/verify-backup.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "./command.ts"
import { print, type Printing } from "./print.ts"
import { withAdmin, type Admin } from "./with-vault.ts"

type BackupOptions = InstallationOptions & Printing & { readonly to: string }

/** `countersign backup --to FILE` */
export function backup(): Command {
  const made = command(
    "backup",
    "copy the ledger into a file, while requests go on, and check it",
  ).requiredOption(
    "--to <file>",
    "a file that isn't there yet, on a disk of this machine or mounted",
  )
  withExamples(
    made,
    "countersign backup --to /mnt/backup/ledger-2026-06-01.db",
    "countersign backup --to ./ledger-copy.db --json",
  )
  return runs<BackupOptions>(withJson(withInstallation(made)), async (options) => {
    const to = resolve(options.to)
    await assertFree(to)
    const done = await withAdmin(options, async (admin) => {
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
    })
    print(done, options, backupLines)
  })
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

function backupLines(done: { readonly file: string; readonly head_seq: number }) {
  return [
    `Wrote ${done.file}: the ledger up to entry ${done.head_seq}, checked.`,
    "It doesn't hold keys (keystore/, keychain/, the passphrase), countersign.yaml, venue.yaml, policies/ or archives: copy those apart.",
    "Signers' marks are never part of a backup: by them a restored ledger is noticed. docs/operations.md tells how to restore.",
  ]
}
