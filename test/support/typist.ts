/** What is typed once the screen shows `after`, later than the answer before it. */
export type Typed = { readonly after: string; readonly keys: string }

export const enter = "\r"
export const ctrlC = "\x03"
export const ctrlD = "\x04"

/** Takes what a screen shows, piece by piece, and types each answer after its question: nothing depends on time. */
export function typist(
  typed: readonly Typed[],
  type: (keys: string) => void,
): (shown: string) => void {
  let screen = ""
  let seen = 0
  const waiting = [...typed]
  return (shown) => {
    screen += shown
    for (;;) {
      const [next] = waiting
      const at = next === undefined ? -1 : screen.indexOf(next.after, seen)
      if (next === undefined || at === -1) return
      seen = at + next.after.length
      waiting.shift()
      type(next.keys)
    }
  }
}
