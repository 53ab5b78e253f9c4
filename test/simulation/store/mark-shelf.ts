import type { Mark, MarkFile } from "../../../src/vault/ledger/signers/mark-file.ts"
import type { OpenSigner } from "../../../src/vault/ledger/signers/signer-marks.ts"

type Waiting = { readonly signer: string; readonly mark: Mark; readonly done: () => void }

/** The signers' marks, which no back-up of the ledger holds. A write is durable when the simulation says so. */
export class MarkShelf {
  readonly #marks = new Map<string, Mark>()
  #waiting: Waiting[] = []
  /** The vault that runs now; what an earlier one still does reaches nothing. */
  #life = 0

  /** For one vault. */
  opener(): OpenSigner {
    const life = (this.#life += 1)
    return (signer) =>
      Promise.resolve({ lock: { release: () => undefined }, file: this.#fileOf(signer, life) })
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0
  }

  /** Makes durable what waits. */
  write(): void {
    for (const { signer, mark, done } of this.#waiting.splice(0)) {
      this.#marks.set(signer, mark)
      done()
    }
  }

  /** What is under way is lost, or isn't. */
  crash(isWritten: boolean): void {
    this.#life += 1
    const lost = this.#waiting.splice(0)
    for (const { signer, mark } of isWritten ? lost : []) this.#marks.set(signer, mark)
  }

  copy(): MarkShelf {
    const copy = new MarkShelf()
    for (const [signer, mark] of this.#marks) copy.#marks.set(signer, mark)
    return copy
  }

  #fileOf(signer: string, life: number): MarkFile {
    return {
      read: () => Promise.resolve(this.#marks.get(signer)),
      write: (mark) =>
        new Promise((done) => {
          if (life === this.#life) this.#waiting.push({ signer, mark, done })
        }),
      close: () => Promise.resolve(),
    }
  }
}
