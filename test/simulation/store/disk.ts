import type { SnapshotStep } from "../../../src/vault/ledger/store/meter-queries.ts"
import type { JournalRow } from "../../../src/vault/ledger/records/row.ts"
import { canonicalRow, chainHash } from "../../../src/vault/ledger/sqlite/journal.ts"
import type { Head } from "../../../src/vault/ledger/store/store.ts"
import type { ClockReading } from "../../../src/vault/process/clock.ts"

/** An entry as the journal chains it. */
export type Entry = Head & { readonly row: JournalRow; readonly text: string }

/** A step of a snapshot, and the last entry before it. */
export type SnapshotStepAt = { readonly step: SnapshotStep; readonly seq: number }

/** What one flush makes durable, all of it or nothing. */
export type Commit = {
  readonly entries: readonly Entry[]
  readonly clock: ClockReading | undefined
  readonly steps: readonly SnapshotStepAt[]
}

/** What of a write that is cut off reaches the disk. */
export type Torn = "nothing" | "part" | "all"

/** The bytes of one flush, and what they mean where they are whole. */
type Frame = {
  readonly text: string
  readonly commit: Commit | undefined
  /** What its bytes said after `head`: they never change, so no later start need read them again. */
  read?: { readonly head: Head; readonly commit: Commit | undefined }
}

/** The bytes that a crash leaves, a text for each flush, and a copy of them that was made earlier. */
export class Disk {
  #frames: readonly Frame[]
  #backup: readonly Frame[] | undefined
  #durable: { readonly of: readonly Frame[]; readonly entries: readonly Entry[] } | undefined
  /** Another one after each restore. */
  copies = 0

  constructor(frames: readonly Frame[] = []) {
    this.#frames = frames
  }

  write(commit: Commit): void {
    this.#frames = [...this.#frames, frameOf(commit)]
  }

  /** A write that was under way when the power went, or when the disk was full. */
  tear(commit: Commit, torn: Torn): void {
    if (torn === "all") this.write(commit)
    if (torn !== "part") return
    const text = frameText(commit)
    this.#frames = [...this.#frames, { text: text.slice(0, text.length / 2), commit: undefined }]
  }

  backUp(): void {
    this.#backup = this.#frames
  }

  /** Puts the copy in place of what there is. */
  restore(): void {
    if (this.#backup === undefined || this.#backup === this.#frames) return
    this.#frames = this.#backup
    this.copies += 1
  }

  /** What the bytes say, up to what isn't whole; that is written over from now on. */
  read(): readonly Commit[] {
    const commits: Commit[] = []
    let head = beginning
    for (const frame of this.#frames) {
      const commit = readOnce(frame, head)
      if (commit === undefined) break
      commits.push(commit)
      head = commit.entries.at(-1) ?? head
    }
    this.#frames = this.#frames.slice(0, commits.length)
    return commits
  }

  /** What was ever written whole and is still there, known without a look at the bytes. */
  durable(): readonly Entry[] {
    if (this.#durable?.of !== this.#frames) {
      const entries = this.#frames.flatMap(({ commit }) => commit?.entries ?? [])
      this.#durable = { of: this.#frames, entries }
    }
    return this.#durable.entries
  }

  /** The same without what spares a start from counting all again. */
  withoutSnapshot(): Disk {
    const commits = this.read()
    return new Disk(
      commits.map((commit, index) =>
        commit.steps.length === 0 ? this.#frames[index]! : frameOf({ ...commit, steps: [] }),
      ),
    )
  }

  /** Another disk with the same on it. */
  copy(): Disk {
    return new Disk(this.#frames)
  }
}

/** What the first entry is chained to. */
export const beginning: Head = { seq: 0, hash: new Uint8Array(32) }

/** The entry that follows on `head`. */
export function chained(row: JournalRow, head: Head): Entry {
  const seq = head.seq + 1
  const text = canonicalRow({ ...row, seq })
  return { seq, row, text, hash: chainHash(head.hash, text) }
}

function frameOf(commit: Commit): Frame {
  return { text: frameText(commit), commit }
}

/** A line for each entry, its hash before it, and a last one, its length before it, without which none of them counts. */
function frameText({ entries, clock, steps }: Commit): string {
  const end = JSON.stringify({ clock, steps })
  return [
    ...entries.map(({ hash, text }) => `${hexOf(hash)} ${text}`),
    `${end.length} ${end}`,
  ].join("\n")
}

function readOnce(frame: Frame, head: Head): Commit | undefined {
  if (frame.read?.head !== head) frame.read = { head, commit: readFrame(frame.text, head) }
  return frame.read.commit
}

/** `undefined` when it isn't whole, or doesn't follow on `head`. */
function readFrame(frame: string, head: Head): Commit | undefined {
  const lines = frame.split("\n")
  const entries: Entry[] = []
  for (const line of lines.slice(0, -1)) {
    const entry = readEntry(line, entries.at(-1) ?? head)
    if (entry !== undefined) entries.push(entry)
  }
  const end = readEnd(lines.at(-1) ?? "")
  if (end === undefined || entries.length < lines.length - 1) return undefined
  return { entries, ...end }
}

/** As it was written, its own number in it, which nobody minds. */
function readEntry(line: string, before: Head): Entry | undefined {
  const [said, text] = partsOf(line)
  const hash = chainHash(before.hash, text)
  if (said !== hexOf(hash)) return undefined
  return { seq: before.seq + 1, row: JSON.parse(text) as JournalRow, text, hash }
}

function readEnd(line: string): Omit<Commit, "entries"> | undefined {
  const [length, text] = partsOf(line)
  return Number(length) === text.length ? (JSON.parse(text) as Omit<Commit, "entries">) : undefined
}

/** What stands before the first space, and after it. A line that is cut off before it has no second part. */
function partsOf(line: string): readonly [string, string] {
  const end = line.indexOf(" ")
  return end < 0 ? ["cut off", ""] : [line.slice(0, end), line.slice(end + 1)]
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
