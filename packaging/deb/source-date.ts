import { run } from "./run.ts"

/** The time that all files of the package bear, in seconds: $SOURCE_DATE_EPOCH, or that of the last commit. */
export function sourceDateSeconds(root: string): number {
  const seconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? lastCommitSeconds(root))
  if (!Number.isSafeInteger(seconds) || seconds <= 0) {
    throw new Error("Set SOURCE_DATE_EPOCH to the time of this version's commit, in seconds.")
  }
  return seconds
}

function lastCommitSeconds(root: string): string {
  try {
    return run("git", ["log", "-1", "--format=%ct"], { cwd: root })
  } catch (cause) {
    throw new Error("This is no git checkout: set SOURCE_DATE_EPOCH to the commit's time.", {
      cause,
    })
  }
}
