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
  const troubles = new Map<string, string>()
  return (what, trouble) => {
    const words = trouble === undefined ? "" : `${trouble.code} ${trouble.message}`
    if (stopping.aborted || words === (troubles.get(what) ?? "")) return
    troubles.set(what, words)
    if (trouble === undefined) works(what)
    else fails(trouble)
  }
}
