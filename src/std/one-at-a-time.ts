/** Makes a queue that runs work after all earlier work has ended, whether that failed or not. */
export function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve()
  return <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
