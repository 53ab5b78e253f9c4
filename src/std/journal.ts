import { fstatSync } from "node:fs"

// sd-daemon(3): err, warning, info, debug.
const priorities = { error: 3, warn: 4, info: 6, debug: 7 } as const

/** The prefix of a line that tells the journal its priority. */
export function journalPrefix(level: keyof typeof priorities): string {
  return `<${priorities[level]}>`
}

/**
 * Whether stdout goes to the journal. `JOURNAL_STREAM` names the stream's device and inode, systemd.exec(5). Both
 * are compared, because a child process with another stdout inherits the variable too.
 */
export function isUnderJournal(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { dev, ino } = fstatSync(process.stdout.fd, { bigint: true })
  return environment["JOURNAL_STREAM"] === `${dev}:${ino}`
}
