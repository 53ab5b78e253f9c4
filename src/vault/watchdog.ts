/**
 * One beat, to be called again and again: says `alive` only after `test` has passed. A test that takes longer
 * than a beat isn't begun a second time; one that fails is told once, and once more when it passes again.
 */
export function watchdogBeat({
  test,
  alive,
  tell,
}: {
  readonly test: () => Promise<void>
  readonly alive: () => void
  readonly tell: (event: "failed" | "passed", error?: unknown) => void
}): () => Promise<void> {
  let isTesting = false
  let isFailing = false
  return async () => {
    if (isTesting) return
    isTesting = true
    try {
      await test()
      if (isFailing) tell("passed")
      isFailing = false
      alive()
    } catch (error) {
      if (!isFailing) tell("failed", error)
      isFailing = true
    } finally {
      isTesting = false
    }
  }
}
