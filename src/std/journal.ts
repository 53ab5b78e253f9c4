import { fstatSync } from "node:fs"

// sd-daemon(3): err, warning, info, debug.
const priorities = { error: 3, warn: 4, info: 6, debug: 7 } as const

/** What the journal reads the priority of a line from, before the line. */
export function journalPrefix(level: keyof typeof priorities): string {
  return `<${priorities[level]}>`
}

/**
 * Whether stdout goes to the journal. `JOURNAL_STREAM` names the stream's device and inode, systemd.exec(5):
 * that it is set isn't enough, since what a service starts with another stdout inherits it too.
 */
export function isUnderJournal(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { dev, ino } = fstatSync(process.stdout.fd, { bigint: true })
  return environment["JOURNAL_STREAM"] === `${dev}:${ino}`
}
