/** Runs work after whatever it was given before has ended, well or not. */
export type OneAtATime = <Answer>(work: () => Promise<Answer>) => Promise<Answer>

/** Makes a queue of its own. */
export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
