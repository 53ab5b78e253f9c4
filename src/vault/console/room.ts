/** The lists of one message share its room: each gets as much of it as those before it left. */
export type Room = <Each>(list: readonly Each[], maxLength: number) => readonly Each[]

/** Room for JSON of so many bytes. What doesn't fit is left out from where it begins, so what counts comes first. */
export function roomOf(maxBytes: number): Room {
  let leftBytes = maxBytes
  return (list, maxLength) => {
    const fitting = list.slice(0, maxLength)
    const end = fitting.findIndex((each) => {
      const bytes = Buffer.byteLength(JSON.stringify(each)) + 1 // and a comma
      if (bytes > leftBytes) return true
      leftBytes -= bytes
      return false
    })
    return end === -1 ? fitting : fitting.slice(0, end)
  }
}

/** What a frame of the socket has room for, less what a message says besides its lists. */
export const maxListBytes = 192 * 1024
