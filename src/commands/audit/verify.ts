import { readFile } from "node:fs/promises"
import { resolve } from "node:path"

import { readLedger } from "../../audit/open-ledger.ts"
import { verifyLedger, type Verdict } from "../../audit/verify-ledger.ts"
import { checkpointSchema } from "../../link/calls/admin-methods.ts"
import { Fault } from "../../std/fault.ts"
import { codeOf, writeNewFile } from "../../std/private-file.ts"
import { parseJson } from "../../std/parse-json.ts"
import { spanWords } from "../../std/time/time-words.ts"
import { visible } from "../../std/visible.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { isSigned } from "../../vault/ledger/audit/checkpoint.ts"
import type { Checkpoint } from "../../vault/ledger/store/audit-queries.ts"
import { option, repeated, type Given } from "../cli/command.ts"
import type { Output } from "../cli/terminal.ts"
import { dialOrNone, askHead } from "../installation/admin.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { installationCommand } from "../installation/installation-command.ts"

/** A verdict, and how long it took. */
type Verified = Verdict & { readonly ms: number }

const verifyOptions = {
  archives: repeated("--archive <file...>", "archives that hold what came before", resolve),
  against: option("--against <file>", "a checkpoint that was kept elsewhere"),
  checkpoint: option(
    "--checkpoint <file>",
    "write the last checkpoint to a new file, to be kept elsewhere",
  ),
}

/** `countersign audit verify` */
export const auditVerify = installationCommand({
  description: "check every entry of the ledger against its chain",
  examples: [
    "countersign audit verify",
    "countersign audit verify --checkpoint ledger-2026-06-01.json",
    "countersign audit verify --against ledger-2026-06-01.json --archive countersign-archive-0000000001-0000048210.jsonl.gz",
  ],
  options: verifyOptions,
  answer: async (installation, options, terminal): Promise<Verified> => {
    const { against, checkpoint } = options
    const kept = against === undefined ? undefined : await readKeptCheckpoint(against)
    const startMs = performance.now()
    const verdict = await verify({ installation, kept, ...options }, openProgress(terminal.stderr))
    if (verdict.flaw?.isUnread === true) throw unread(verdict.flaw)
    const ms = performance.now() - startMs
    if (verdict.flaw === undefined && checkpoint !== undefined) {
      await keepCheckpoint(resolve(checkpoint), verdict.position.checkpoint)
    }
    return { ...verdict, ms }
  },
  json: answerOf,
  print: linesOf,
  exitCode: ({ flaw }) => (flaw === undefined ? 0 : 1),
})

type VerifyAsk = Given<typeof verifyOptions> & {
  readonly installation: Installation
  readonly kept: Checkpoint | undefined
}

async function verify(
  { installation, kept, archives, checkpoint }: VerifyAsk,
  progress: ReturnType<typeof openProgress>,
): Promise<Verdict> {
  becomeOwner(installation.stateDir)
  if (checkpoint !== undefined) await signCheckpoint(installation)
  const head = await askHead(installation)
  try {
    // One that isn't there isn't whole.
    return await readLedger(pathsOf(installation).ledgerFile, (ledger) =>
      verifyLedger({ ledger, head, archives, kept, onProgress: progress.show }),
    )
  } finally {
    progress.clear()
  }
}

/** So that the journal ends with one; where a daemon runs. */
async function signCheckpoint(installation: Installation): Promise<void> {
  const link = await dialOrNone(installation)
  await link?.call("auditCheckpoint", {})
  link?.close()
}

function answerOf({ flaw, entries, firstSeq, position, ms }: Verified) {
  return {
    whole: flaw === undefined,
    broken: flaw ?? null,
    entries,
    first_seq: firstSeq,
    entries_per_second: rateOf(entries, ms),
    head: { seq: position.seq, hash: position.hash },
    checkpoint: position.checkpoint,
  }
}

function linesOf({ flaw, entries, firstSeq, position, ms }: Verified): readonly string[] {
  const checked = `${entries} entries from ${firstSeq} on, ${rateOf(entries, ms)} a second.`
  if (flaw === undefined) {
    const signed =
      position.checkpoint === null
        ? "No checkpoint is among them."
        : `The last checkpoint, of entry ${position.checkpoint.head_seq}, was signed ${spanWords(Date.now() - position.checkpoint.at_ms)} ago.`
    return [
      `The ledger is whole: ${checked}`,
      `Head: entry ${position.seq}, ${position.hash}`,
      signed,
    ]
  }
  const { seq, id, what, file, isOfAnother } = flaw
  if (isOfAnother === true) {
    return [
      `Nothing was checked: ${visible(what)}.`,
      "Give --against a checkpoint of this installation. If this is one, the ledger was replaced: docs/incident.md says what to do.",
    ]
  }
  const name = id === null ? `entry ${seq}` : `entry ${seq} (${visible(id)})`
  return [
    `The ledger is broken at ${name}: ${visible(what)}.`,
    ...(file === undefined ? [] : [`In ${file}`]),
    `Whole before that: ${checked}`,
  ]
}

/** The machine's failure says nothing of the ledger: neither whole nor broken. */
function unread({ seq, what }: NonNullable<Verdict["flaw"]>): Fault {
  return new Fault(
    "ledger_unavailable",
    `The check stopped at entry ${seq}: ${visible(what)}. Nothing before it is broken; check the disk, then run this again.`,
  )
}

function rateOf(entries: number, ms: number): number {
  return Math.round((1_000 * entries) / Math.max(ms, 1))
}

/** A line on a terminal that goes on being written over. */
function openProgress(stderr: Output) {
  return {
    show: (entries: number): void => {
      if (stderr.isTTY === true) stderr.write(`\r${entries} entries are whole…`)
    },
    clear: (): void => {
      if (stderr.isTTY === true) stderr.write("\r\u001b[K")
    },
  }
}

/** Writes a checkpoint to a new file, which is worth something on another machine. @throws {Fault} */
async function keepCheckpoint(file: string, checkpoint: Checkpoint | null): Promise<void> {
  if (checkpoint === null) {
    throw new Fault(
      "usage",
      "The ledger has no checkpoint yet; the daemon signs one within an hour, and when it stops.",
    )
  }
  if (await writeNewFile(file, `${JSON.stringify(checkpoint)}\n`)) return
  throw new Fault("name_taken", `${file} is there already; choose another name.`)
}

/** Reads a checkpoint that was kept. @throws {Fault} `usage` when it can't be read, isn't one, or its signature isn't its key's. */
async function readKeptCheckpoint(file: string): Promise<Checkpoint> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const message = `${file} can't be read (${codeOf(cause) ?? "unknown error"}); check its name and owner.`
    throw new Fault("usage", message, { cause })
  })
  const parsed = checkpointSchema.safeParse(parseJson(text))
  if (parsed.success && isSigned(parsed.data)) return parsed.data
  throw new Fault(
    "usage",
    `${file} isn't a whole checkpoint; name one that countersign audit verify --checkpoint wrote.`,
  )
}
