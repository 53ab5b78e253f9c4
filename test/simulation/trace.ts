/** What happened in a run, a line each. Ids are told as ordinals, so that the same seed gives the same lines. */
export class Trace {
  readonly #lines: (() => string)[] = []
  readonly #ordinals = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** A line is made when it is asked for, for nearly all traces are thrown away. */
  note(line: () => string): void {
    this.#lines.push(line)
  }

  text(): string {
    return this.#lines
      .map((line) =>
        line().replaceAll(/(rec|hold)_[0-9A-Z]{26}/g, (id, kind: string) => this.#nameOf(id, kind)),
      )
      .join("\n")
  }

  #nameOf(id: string, kind: string): string {
    const known = this.#ordinals.get(id)
    if (known !== undefined) return known
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const name = `${kind} ${count}`
    this.#ordinals.set(id, name)
    return name
  }
}
