import { Fault } from "../../std/fault.ts"

/** One thing that an installation or its end needs. */
export type Step = {
  /** As a plan says it: "write /etc/…". */
  readonly title: string
  /** Whether the machine is as it should be already, so that nothing has to be run. */
  readonly isDone: boolean
  /** What is worth seeing before it is agreed to, a line each. */
  readonly details: readonly string[]
  run(): void | Promise<void>
}

/** The steps that there is something to run for. */
export function openSteps(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ isDone }) => !isDone)
}

/** A plan for people: what will be done, and what is left as it is. */
export function planLines(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ title, isDone, details }) => [
    `  ${isDone ? "is there  " : "to do     "}${title}`,
    ...(isDone ? [] : details.map((line) => `              ${line}`)),
  ])
}

/**
 * Runs the open steps in their order.
 *
 * @throws {Fault} what the failed step threw, with the steps that are done by then.
 */
export async function carryOut(steps: readonly Step[]): Promise<void> {
  const done: string[] = []
  for (const step of openSteps(steps)) {
    try {
      await step.run()
    } catch (error) {
      throw stoppedAt(step, done, error)
    }
    done.push(step.title)
  }
}

function stoppedAt({ title }: Step, done: readonly string[], error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const soFar = done.length === 0 ? "Nothing was done before it" : `Done: ${done.join("; ")}`
  const message = `Couldn't ${title}: ${error.message} ${soFar}. Mend it and run this again: it goes on from there.`
  return new Fault(error instanceof Fault ? error.code : "install_failed", message, {
    cause: error,
  })
}
