/** Runs work after all earlier work has ended, whether that failed or not. */
export type OneAtATime = <Answer>(work: () => Promise<Answer>) => Promise<Answer>

/** Makes a new queue. */
export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
