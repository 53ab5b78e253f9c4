import type { Change } from "./alarm-changes.ts"

/** So many of one kind are told one by one. */
export const maxAlike = 5

/** Makes one of each kind of which there are too many at once, so that nobody gets a hundred messages. */
export function foldAlike(changes: readonly Change[]): readonly Change[] {
  const kinds = Map.groupBy(changes, ({ state, alarm }) => `${state} ${alarm.name}`)
  return [...kinds.values()].flatMap((alike) => {
    const [first] = alike
    return first === undefined || alike.length <= maxAlike ? alike : [folded(first, alike.length)]
  })
}

function folded({ state, alarm }: Change, count: number): Change {
  const fact = `There are ${count} alarms like this one: ${alarm.fact}`
  return { state, alarm: { ...alarm, subject: "", fact } }
}
