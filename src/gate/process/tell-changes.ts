/** Why something fails, as its line of log says it. */
export type Trouble = { readonly code: string; readonly message: string }

/** The two lines of log that there are of something that is done again and again. */
export type ChangeLines = {
  readonly works: (what: string) => void
  readonly fails: (trouble: Trouble) => void
}

/** Writes a line when something begins to fail, fails otherwise, or works again. None once it stops. */
export function tellChanges(
  { works, fails }: ChangeLines,
  stopping: AbortSignal,
): (what: string, trouble?: Trouble) => void {
  const troubles = new Map<string, Trouble>()
  return (what, trouble) => {
    const last = troubles.get(what)
    const isSame = last?.code === trouble?.code && last?.message === trouble?.message
    if (stopping.aborted || isSame) return
    if (trouble === undefined) {
      troubles.delete(what)
      works(what)
    } else {
      troubles.set(what, trouble)
      fails(trouble)
    }
  }
}
