import { open, unlink, type FileHandle } from "node:fs/promises"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import { Option, type Command } from "commander"

import { Fault } from "../../std/fault.ts"
import { entryLine } from "../../vault/archive/archive-lines.ts"
import type { AuditCall } from "../../vault/archive/write-archive.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"
import { csvEntry, csvHead } from "./csv.ts"
import { auditCallOf, entriesAfter } from "./entries-of.ts"
import { momentOf } from "./moment.ts"

type ExportOptions = InstallationOptions &
  Printing & {
    readonly format: "jsonl" | "csv"
    readonly since?: string
    readonly to?: string
  }

/** `countersign audit export --format csv --since 7d --to FILE` */
export function auditExport(): Command {
  const format = new Option("--format <format>", "jsonl or csv")
    .choices(["jsonl", "csv"])
    .default("jsonl")
  const made = command("export", "write entries of the ledger for other programs")
    .addOption(format)
    .option("--since <when>", "from a duration like 7d ago on, or from a date on; all if left out")
    .option("--to <file>", "a new file; standard output if left out")
  withExamples(
    made,
    "countersign audit export --format csv --since 7d --to week.csv",
    "countersign audit export --since 2026-05-01 | gzip > may.jsonl.gz",
  )
  return runs<ExportOptions>(withJson(withInstallation(made)), async (options) => {
    const sinceMs = options.since === undefined ? undefined : momentOf(options.since, "--since")
    const target = options.to === undefined ? undefined : await newFile(resolve(options.to))
    const counted = { entries: 0 }
    await withAdmin(options, (admin) =>
      writeTo(target, linesOf(auditCallOf(admin), { ...options, sinceMs }, counted)),
    ).catch((error: unknown) => removeAndThrow(target, error))
    if (target === undefined) return
    const file = target.path
    print({ file, ...counted }, options, () => [`Wrote ${counted.entries} entries to ${file}`])
  })
}

async function* linesOf(
  call: AuditCall,
  { format, sinceMs }: { readonly format: "jsonl" | "csv"; readonly sinceMs: number | undefined },
  counted: { entries: number },
): AsyncGenerator<string> {
  if (format === "csv") yield csvHead()
  for await (const page of entriesAfter(call, 0, { sinceMs })) {
    counted.entries += page.length
    if (page.length > 0) yield page.map(format === "csv" ? csvEntry : entryLine).join("")
  }
}

type Target = { readonly path: string; readonly handle: FileHandle }

async function newFile(path: string): Promise<Target> {
  try {
    return { path, handle: await open(path, "wx", 0o600) }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // fs throws these alone
    if (code === "EEXIST") {
      throw new Fault("name_taken", `${path} is there already; choose another name.`, { cause })
    }
    const message = `${path} can't be made (${code ?? "unknown error"}); check its directory.`
    throw new Fault("usage", message, { cause })
  }
}

/** At the pace of whoever reads; a reader that wants no more (`| head`) is no failure. */
async function writeTo(target: Target | undefined, lines: AsyncGenerator<string>): Promise<void> {
  if (target !== undefined) {
    await pipeline(Readable.from(lines), target.handle.createWriteStream({ flush: true }))
    return
  }
  try {
    await pipeline(Readable.from(lines), process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error
  }
}

async function removeAndThrow(target: Target | undefined, error: unknown): Promise<never> {
  if (target !== undefined) await unlink(target.path).catch(() => undefined) // the cause matters
  throw error
}
