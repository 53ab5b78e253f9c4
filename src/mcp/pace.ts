import type { ToolAnswer } from "./answers.ts"

const burst = 20
const perSecond = 5
/** So many equal refusals in a row are a loop. */
const mostEqual = 3

/** How long to wait before the next call may be made, in milliseconds; 0 where it is made now, which is counted. */
export type Pace = () => number

/** A bucket of 20 calls, which fills by 5 a second. `nowMs` is a clock that only goes forward. */
export function openPace(nowMs: () => number): Pace {
  let left = burst
  let atMs = nowMs()
  return () => {
    const now = nowMs()
    left = Math.min(burst, left + ((now - atMs) / 1_000) * perSecond)
    atMs = now
    if (left < 1) return Math.ceil(((1 - left) / perSecond) * 1_000)
    left -= 1
    return 0
  }
}

/** Has the third equal refusal in a row, and each after it, say that it is enough. */
export function openRepeats(): (tool: string, answer: ToolAnswer) => ToolAnswer {
  let last = ""
  let times = 0
  return (tool, answer) => {
    const { ok, code, reason, rule } = answer
    const told = ok ? "" : JSON.stringify([tool, code, reason, rule])
    times = told === last ? times + 1 : 1
    last = told
    return !ok && times >= mostEqual ? { ...answer, do: "stop" } : answer
  }
}
