import { isUnderJournal, journalPrefix } from "./journal.ts"
import type { LogForm, LogLevel } from "./log-line.ts"

/** Where a process writes its lines of log, and in what form. */
export type LogOut = {
  readonly form: LogForm
  readonly write: (line: string, level: LogLevel) => void
}

/** The journal, where stdout goes there; else stderr, in words where that is a terminal. */
export function logOut(): LogOut {
  if (isUnderJournal()) {
    return {
      form: "json",
      write: (line, level) => void process.stdout.write(`${journalPrefix(level)}${line}\n`),
    }
  }
  const { stderr } = process
  const words = (): LogForm => (stderr.hasColors() ? "coloured" : "words") // NO_COLOR says no
  return {
    form: stderr.isTTY ? words() : "json",
    write: (line) => void stderr.write(`${line}\n`),
  }
}
