export const readGroups = ["market", "trade", "account", "explorer"] as const
export type ReadGroup = (typeof readGroups)[number]

/** The paths of each group, as patterns. The interface names the groups but shows no paths. */
export type ReadPaths = Readonly<Record<ReadGroup, readonly string[]>>

/** What a read of each group weighs against the IP budget, by the interface's "Limits". */
export const readWeights: Readonly<Record<ReadGroup, number>> = {
  market: 2,
  trade: 2,
  account: 2,
  explorer: 40,
}

/** The group of a path (without its query); `undefined` when venue.yaml doesn't list the path. */
export function readGroupOf(path: string, reads: ReadPaths): ReadGroup | undefined {
  return readGroups.find((group) => reads[group].some((pattern) => coversPath(pattern, path)))
}

/** No dot segments, no escapes, no backslash: a path must mean the same to every reader. */
const segmentPattern = /^(?!\.{1,2}$)[A-Za-z0-9._~:@-]+$/

/** Whether a text is a pattern of paths: `/v1/` and segments. `*` stands for one segment, `**` for any number. */
export function isPathPattern(text: string): boolean {
  const [root, version, ...rest] = text.split("/")
  if (text.length > 200 || root !== "" || version !== "v1" || rest.length === 0) return false
  return rest.every((segment) => segment === "*" || segment === "**" || isSegment(segment))
}

/** Whether a pattern covers a path. None covers a path with an empty segment, a dot segment or an escape. */
export function coversPath(pattern: string, path: string): boolean {
  const [root, ...segments] = path.split("/")
  if (root !== "" || !segments.every(isSegment)) return false
  return covers(pattern.split("/").slice(1), segments)
}

/** Whether two patterns cover a path in common. */
export function patternsMeet(one: string, other: string): boolean {
  return meet(one.split("/").slice(1), other.split("/").slice(1))
}

function isSegment(text: string): boolean {
  return segmentPattern.test(text)
}

/** Goes back only to the last `**`, so that time grows with the product of the two lengths at most. */
function covers(pattern: readonly string[], segments: readonly string[]): boolean {
  let at = 0
  let resume: { at: number; segment: number } | undefined
  let segment = 0
  while (segment < segments.length) {
    const expected = pattern[at]
    if (expected === "**") {
      at += 1
      resume = { at, segment }
    } else if (expected === "*" || (expected !== undefined && expected === segments[segment])) {
      at += 1
      segment += 1
    } else if (resume !== undefined) {
      resume = { at: resume.at, segment: resume.segment + 1 }
      ;({ at, segment } = resume)
    } else return false
  }
  return pattern.slice(at).every((rest) => rest === "**")
}

/** Tells for each beginning of `one` whether it shares a path with the part of `other` seen so far. */
function meet(one: readonly string[], other: readonly string[]): boolean {
  let row = one.map((_, at) => one.slice(0, at + 1).every(isMany))
  let isStart = true
  for (const theirs of other) {
    const before = [isStart, ...row]
    isStart &&= isMany(theirs)
    let last = isStart
    row = one.map((ours, at) => {
      const [skipped, kept] = [before[at] === true, before[at + 1] === true]
      last = isMany(ours) || isMany(theirs) ? last || kept : skipped && isAlike(ours, theirs)
      return last
    })
  }
  return row.at(-1) === true
}

function isMany(segment: string): boolean {
  return segment === "**"
}

function isAlike(ours: string, theirs: string): boolean {
  return ours === "*" || theirs === "*" || ours === theirs
}
