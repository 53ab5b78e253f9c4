import type { Event, Plan } from "./events.ts"
import { planOf } from "./plan.ts"
import { runPlan, type Ran } from "./run-plan.ts"

/** How many histories are tried. */
const mostTries = 600

type Shortest = { readonly plan: Plan; readonly ran: Ran }

/** What to tell of a seed whose history broke a promise: the seed, and the shortest history that was found. */
export async function failureText(seed: number, broken: Error): Promise<string> {
  const { plan, ran } = await shrink(planOf(seed), broken)
  return [
    `seed ${seed}: ${broken.message}`,
    `the shortest history that was found, of ${plan.events.length} events:`,
    ran.trace.text(),
    ran.broken?.stack ?? "",
    "as a case:",
    JSON.stringify(plan),
  ].join("\n")
}

/**
 * The shortest history that is found to break the same promise: larger parts are left out first, then single
 * events, as long as what is left still breaks it.
 */
async function shrink(plan: Plan, broken: Error): Promise<Shortest> {
  let shortest = { plan, ran: await runPlan(plan) }
  let tries = 0
  const attempt = async (events: readonly Event[]): Promise<boolean> => {
    tries += 1
    const smaller = { ...plan, events }
    const ran = await runPlan(smaller)
    const isSame = ran.broken !== undefined && kindOf(ran.broken) === kindOf(broken)
    if (isSame) shortest = { plan: smaller, ran }
    return isSame
  }
  for (let size = plan.events.length; size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < shortest.plan.events.length && tries < mostTries;) {
      const { events } = shortest.plan
      const isGone = await attempt([...events.slice(0, from), ...events.slice(from + size)])
      if (!isGone) from += size
    }
  }
  return shortest
}

/** What broke, whatever the numbers in it are. */
function kindOf({ message }: Error): string {
  return message.replaceAll(/\d+/g, "#").split("\n")[0] ?? ""
}
