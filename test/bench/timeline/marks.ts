import { medianOf } from "../report/quantiles.ts"

/** What was over, and when: nanoseconds of the clock that all processes of a machine share. */
export type Mark = readonly [what: string, atNs: number]

/** When a request was sent, and when its answer had come. */
export type Sent = { readonly fromNs: number; readonly toNs: number }

/**
 * How many µs after it was sent each stage of a request was over, in their order: medians over requests that came one by one,
 * so that a mark between a request's two times is its own. A stage that isn't there of nearly each is left out.
 */
export function timelineOf(
  requests: readonly Sent[],
  marks: readonly Mark[],
): ReadonlyMap<string, number> {
  const times = new Map<string, number[]>()
  for (const { fromNs, toNs } of requests) {
    const own = marks.filter(([, atNs]) => atNs >= fromNs && atNs <= toNs)
    for (const [what, atNs] of [...own, ["client: answer read", toNs] as const]) {
      times.set(what, [...(times.get(what) ?? []), (atNs - fromNs) / 1_000])
    }
  }
  const usual = [...times].filter(([, micros]) => micros.length > requests.length * 0.9)
  const medians = usual.map(([what, micros]) => [what, medianOf(micros)] as const)
  return new Map(medians.toSorted(([, a], [, b]) => a - b))
}
