import type { Checker, Moment } from "./checker/checker.ts"
import type { Life, Machine } from "./machine.ts"
import type { Trace } from "./trace.ts"

/** Something that is asked of the daemon. */
export type Call<Answer> = {
  readonly name: string
  readonly ask: (life: Life) => Promise<Answer>
  /** Holds the answer against what was promised, and says in a word what it was. */
  readonly heard: (answer: Answer, since: Moment) => string
  /** What may come in place of an answer. */
  readonly faults: readonly string[]
}

/** What a run's callers share: what they know, and what they wait for. */
export class Calls {
  readonly machine: Machine
  readonly checker: Checker
  readonly trace: Trace
  /** Those that the daemon hasn't answered. */
  readonly open = new Set<string>()
  /** The first promise that was broken. */
  broken: Error | undefined
  #count = 0

  constructor(machine: Machine, checker: Checker, trace: Trace) {
    this.machine = machine
    this.checker = checker
    this.trace = trace
  }

  /** Asks, where there is somebody to ask. */
  ask<Answer>({ name, ask, heard, faults }: Call<Answer>): void {
    const { life } = this.machine
    if (life === undefined) return
    const call = `${(this.#count += 1)} ${name}`
    const since = this.checker.moment(this.machine.clock.nowMs())
    this.open.add(call)
    const end = (tell: () => string): void => {
      if (this.machine.life !== life) return // the process that would answer is gone
      this.open.delete(call)
      try {
        const told = tell()
        this.trace.note(() => `    ${call}: ${told}`)
      } catch (error) {
        this.trace.note(() => `    ${call}: ${String(error)}`)
        this.broken ??= error instanceof Error ? error : new Error(String(error))
      }
    }
    Promise.try(ask, life).then(
      (answer) => end(() => heard(answer, since)),
      (error: unknown) => end(() => this.checker.failed(error, faults)),
    )
  }

  /** The daemon ended: what it was asked comes to nothing. */
  ended(): void {
    this.open.clear()
    this.checker.promises.lift("reload")
    this.checker.promises.ended()
  }
}
