/** How long one step of reading may hold the ledger's thread: commits wait for that long at most. */
const sliceMs = 4

/** Between looks at the clock, which costs about as much as an entry. */
const entriesBetween = 16

/** Begins a time slice: tells, asked after each entry, when it is over. */
export function openTimeSlice(): () => boolean {
  const endMs = performance.now() + sliceMs
  let asked = 0
  return () => {
    asked += 1
    return asked % entriesBetween === 0 && performance.now() >= endMs
  }
}
