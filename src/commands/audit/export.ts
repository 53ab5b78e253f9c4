import type { FileHandle } from "node:fs/promises"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import type { LedgerReader } from "../../audit/open-ledger.ts"
import { symbolReader } from "../../audit/past-files.ts"
import { entriesAfter } from "../../audit/read-entries.ts"
import { fieldsOf, membersOf, type StoredEntry } from "../../audit/stored-entry.ts"
import { visible } from "../../std/visible.ts"
import { command, choice, option, parsed, withDefault } from "../cli/command.ts"
import { withNewFile } from "../cli/new-file.ts"
import { print } from "../cli/print.ts"
import type { Output } from "../cli/terminal.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
} from "../installation/installation-command.ts"
import { withLedger } from "../installation/admin.ts"
import { orderCellNames, orderCells } from "./order-cells.ts"
import { shownEntry } from "./entries.ts"
import { momentForm, momentOf } from "../cli/values.ts"

/** `countersign audit export --format csv --since 7d --to FILE` */
export const auditExport = command({
  description: "write entries of the ledger for other programs",
  examples: [
    "countersign audit export --format csv --since 7d --to week.csv",
    "countersign audit export --since 2026-05-01 | gzip > may.jsonl.gz",
  ],
  options: {
    format: withDefault(choice("--format <format>", "jsonl or csv", ["jsonl", "csv"]), "jsonl"),
    sinceMs: parsed(
      option("--since <when>", "since when: a duration like 7d, or a date; all if left out"),
      momentOf,
      momentForm,
    ),
    to: option("--to <file>", "a new file; standard output if left out"),
    ...installationOptions,
    ...jsonOption,
  },
  run: async ({ format, sinceMs, to, json, ...options }, terminal) => {
    const counted = { entries: 0 }
    const writeAll = (target: FileHandle | Output) =>
      withLedger(installationOf(options), (ledger) =>
        writeTo(target, linesOf(ledger, { format, sinceMs }, counted)),
      )
    if (to === undefined) {
      await writeAll(terminal.stdout)
      return 0
    }
    const file = resolve(to)
    await withNewFile(file, writeAll)
    print({ file, ...counted }, { terminal, json }, () => [
      `Wrote ${counted.entries} entries to ${file}`,
    ])
    return 0
  },
})

function* linesOf(
  ledger: LedgerReader,
  { format, sinceMs }: { readonly format: "jsonl" | "csv"; readonly sinceMs: number | undefined },
  counted: { entries: number },
): Generator<string> {
  if (format === "csv") yield csvHead()
  const symbolsOf = symbolReader(ledger)
  for (const entry of entriesAfter(ledger, 0, { sinceMs })) {
    counted.entries += 1
    yield format === "csv" ? csvEntry(entry, symbolsOf) : shownEntry(entry)
  }
}

/** At the pace of whoever reads; a reader that wants no more (`| head`) is no failure. */
async function writeTo(target: FileHandle | Output, lines: Generator<string>): Promise<void> {
  if ("datasync" in target) {
    await pipeline(Readable.from(lines), target.createWriteStream({ flush: true }))
    return
  }
  try {
    await pipeline(Readable.from(lines), target, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== "write") throw error // the terminal tells that
  }
}

const fieldNames = [
  "client",
  "key",
  "operation",
  "signer",
  "target",
  "nonce",
  "expires_after",
  "rule",
  "record",
  "outcome",
  "status",
  "code",
  "act",
] as const

/** What the venue calls an order that it took. */
const takenNames = ["order_id", "state", "tx_hash"] as const

/** The first line of an export as CSV. */
export function csvHead(): string {
  return csvLine([
    "seq",
    "at",
    "kind",
    "id",
    ...fieldNames,
    ...takenNames,
    ...orderCellNames,
    "message",
    "hash",
    "row",
  ])
}

/** An entry as a line of CSV (RFC 4180). Its last cell is the whole row. */
export function csvEntry(entry: StoredEntry, symbolsOf: ReturnType<typeof symbolReader>): string {
  const fields = fieldsOf(entry.row)
  const { code, message } = membersOf(fields["refusal"])
  const order = membersOf(fields["order"])
  return csvLine([
    entry.seq,
    new Date(entry.at_ms).toISOString(),
    entry.kind,
    entry.id,
    ...fieldNames.map((name) => fields[name] ?? (name === "code" ? code : undefined)),
    ...takenNames.map((name) => order[name]),
    ...orderCells(fields, symbolsOf(fields["policy_hash"])),
    message,
    Buffer.from(entry.hash).toString("hex"),
    entry.row,
  ])
}

function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`
}

/** Spreadsheets take text that starts like this for a formula (OWASP, CSV injection). */
const formulaStart = /^[=+\-@\t\r]/

function csvCell(value: unknown): string {
  if (typeof value === "number") return String(value)
  if (typeof value !== "string") return ""
  const shown = value.replace(/[^\t\r\n]+/g, visible)
  const text = formulaStart.test(shown) ? `'${shown}` : shown
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
