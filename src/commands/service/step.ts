import { Fault } from "../../std/fault.ts"

/** One thing that an installation or its end needs. It may be run again when a later one has failed. */
export type Step = {
  /** As a plan says it: "write /etc/…". */
  readonly title: string
  /** What is worth seeing before it is agreed to, a line each. */
  readonly details: readonly string[]
  run(): void
}

/** A plan for people. */
export function planLines(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ title, details }) => [
    `  ${title}`,
    ...details.map((line) => `      ${line}`),
  ])
}

/**
 * Runs the steps in their order.
 *
 * @throws {Fault} `install_failed` with why one failed, and the steps that are done by then.
 */
export function carryOut(steps: readonly Step[]): void {
  steps.forEach((step, index) => {
    try {
      step.run()
    } catch (error) {
      throw stoppedAt(step, steps.slice(0, index), error)
    }
  })
}

function stoppedAt({ title }: Step, done: readonly Step[], error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const soFar =
    done.length === 0
      ? "Nothing was done before it"
      : `Done: ${done.map((step) => step.title).join("; ")}`
  const message = `Couldn't ${title}: ${error.message} ${soFar}. Fix it and run this again: it goes on from there.`
  return new Fault("install_failed", message, { cause: error })
}
