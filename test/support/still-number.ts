import { until } from "./process-tree.ts"

/** A number once it has been the same for a while. */
export async function stillNumber(read: () => number): Promise<number> {
  let last = read()
  let times = 0
  return until(() => {
    times = read() === last ? times + 1 : 0
    last = read()
    return times === 60 ? last : undefined
  }, "it stands still")
}
