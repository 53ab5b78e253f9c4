import { readFileSync } from "node:fs"

/**
 * How many transactions a database's write-ahead log holds (https://www.sqlite.org/fileformat2.html#walformat):
 * of each one the last frame, and no other, tells the database's size after it.
 */
export function countCommits(database: string): number {
  const log = readFileSync(`${database}-wal`)
  const headerBytes = 32
  const frameBytes = 24 + log.readUInt32BE(8)
  const salts = log.subarray(16, 24)
  let commits = 0
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    const isOfThisLog = log.subarray(at + 8, at + 16).equals(salts)
    if (isOfThisLog && log.readUInt32BE(at + 4) > 0) commits += 1
  }
  return commits
}
