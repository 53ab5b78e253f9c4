import type {
  SnapshotHead,
  SnapshotStep,
  StoredSnapshot,
} from "../../../src/vault/ledger/store/meter-queries.ts"

/** The newest whole snapshot of the meters, and the one that is being written. */
export class KeptSnapshot {
  newest: StoredSnapshot | undefined
  #begun: { readonly seq: number; readonly texts: string[] } | undefined

  /** Follows a step, after entry `seq`. */
  take(step: SnapshotStep, seq: number): void {
    if (step.kind === "begin") this.#begun = { seq, texts: [] }
    if (step.kind === "add") this.#begun?.texts.push(step.text)
    if (step.kind === "end") this.#end(step.head)
  }

  #end(head: SnapshotHead): void {
    if (this.#begun !== undefined) this.newest = { ...this.#begun, head: JSON.stringify(head) }
    this.#begun = undefined
  }
}
