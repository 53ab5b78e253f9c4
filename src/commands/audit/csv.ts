import { visible } from "../../std/visible.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-jobs.ts"
import { parseFields } from "./entry-words.ts"

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

/** The first line of an export as CSV. */
export function csvHead(): string {
  return csvLine(["seq", "at", "kind", "id", ...fieldNames, "message", "hash", "row"])
}

/** An entry as a line of CSV (RFC 4180). Its last cell is the whole row. */
export function csvEntry(entry: StoredEntry): string {
  const fields = parseFields(entry.row)
  const refusal = fields["refusal"]
  const refused = typeof refusal === "object" && refusal !== null ? { ...refusal } : {}
  const { code, message } = refused as { readonly code?: unknown; readonly message?: unknown }
  return csvLine([
    entry.seq,
    new Date(entry.at_ms).toISOString(),
    entry.kind,
    entry.id,
    ...fieldNames.map((name) => fields[name] ?? (name === "code" ? code : undefined)),
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
