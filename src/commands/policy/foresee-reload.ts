import { Fault, type FaultCode } from "../../std/fault.ts"
import { type ActiveSet, boundSet } from "../../vault/active/active-set.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { readKeptSet } from "../../vault/config/kept-set.ts"
import { type FileSet, parseFileSet } from "../../vault/config/load-files.ts"
import { type Bindings, bindingsOf } from "../../vault/ledger/bindings.ts"
import { readStanding } from "../../vault/ledger/sqlite/standing-table.ts"
import { assertAccepted, assertReloadable } from "../../vault/operator/files-in-force.ts"
import type { Change } from "../../audit/widening.ts"
import { warningsOf } from "../../vault/status/warnings.ts"
import type { Line } from "../cli/print.ts"
import { adminOver, dialAdmin, withLedger } from "../installation/admin.ts"
import { changeLines } from "./change-lines.ts"
import { changesOf } from "./diff.ts"
import { filesInForce } from "./show.ts"

/** What a reload would do. */
export type Foreseen = {
  readonly daemon: "running" | "stopped"
  /** Of the files on disk. */
  readonly policy_hash: string
  readonly changes: readonly Change[]
  readonly warnings: readonly string[]
  /** Why it would be refused; `null` where it would be taken. */
  readonly refusal: { readonly code: FaultCode; readonly message: string } | null
}

/** Asks of files on disk what a reload asks of them, by the keys, clients and acceptance of now. */
export async function foreseeReload(files: FileSet, installation: Installation): Promise<Foreseen> {
  const { daemon, inForce, bindings } = await standNow(installation)
  const next = boundSet(files, bindings)
  const told = {
    policy_hash: files.policyHash,
    changes: changesOf(inForce?.texts ?? [], files.texts),
  }
  const warnings = warningsOf(next, Date.now()).map(({ message }) => message)
  const active = boundSet(inForce ?? files, bindings)
  if (daemon === "running") {
    return { daemon, ...told, warnings, refusal: refusalOf(files, active, asked) }
  }
  // Nothing refuses it, and the start that takes it asks for a person's word.
  const unaccepted = refusalOf(files, active, [assertAccepted])?.message ?? []
  return { daemon, ...told, warnings: [unaccepted, warnings].flat(), refusal: null }
}

type Assertion = (files: FileSet, active: ActiveSet) => void

/** In the order of a reload. */
const asked: readonly Assertion[] = [
  assertAccepted,
  (files, active) => {
    assertReloadable(active, files)
  },
]

function refusalOf(
  files: FileSet,
  active: ActiveSet,
  assertions: readonly Assertion[],
): Foreseen["refusal"] {
  try {
    for (const assert of assertions) assert(files, active)
    return null
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, message: error.message }
    throw error
  }
}

type Stand = {
  readonly daemon: Foreseen["daemon"]
  /** Where no daemon runs, those that were in force last; none before the first start. */
  readonly inForce: FileSet | undefined
  readonly bindings: Bindings
}

async function standNow(installation: Installation): Promise<Stand> {
  const link = await dialAdmin(installation)
  if (link === undefined) {
    const kept = parseFileSet((await readKeptSet(installation))?.texts ?? [])
    const standing = await withLedger(installation, readStanding)
    return {
      daemon: "stopped",
      inForce: kept.ok ? kept.value : undefined,
      bindings: bindingsOf(standing),
    }
  }
  try {
    const admin = adminOver(link, installation)
    const bindings = bindingsOf(await admin.readLedger(readStanding))
    return { daemon: "running", inForce: await filesInForce(admin), bindings }
  } finally {
    link.close()
  }
}

export function foreseenLines({ daemon, changes, warnings, ...told }: Foreseen): readonly Line[] {
  const { policy_hash: hash, refusal } = told
  const taken = daemon === "running" ? "A reload would take" : "The next start would take"
  const nothing = "What they say is what is in force."
  return [
    ...(changes.length === 0 ? [nothing] : changeLines(changes)),
    "",
    refusal === null
      ? `${taken} the files on disk: ${hash}`
      : `A reload would be refused: ${refusal.message}`,
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
}
