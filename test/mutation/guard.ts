/** One place in the sources that keeps something out, and the slip that would open it. */
export type Guard = {
  /** Below `src/`, or beside it. */
  readonly file: string
  /** Text that the file holds once. */
  readonly find: string
  readonly replace: string
  /** What the slip would let through. */
  readonly why: string
  /** Tests of which at least one must fail then, below `test/` and without `.test.ts`. */
  readonly tests: readonly string[]
}

type Slip = Omit<Guard, "file" | "tests">

/** Several guards of one file, told by the same tests. */
export function guardsOf(
  file: string,
  tests: readonly string[],
  slips: readonly Slip[],
): readonly Guard[] {
  return slips.map((slip) => ({ file, tests, ...slip }))
}
