import type { Case, Figures, Settings } from "./case.ts"
import { medianOf } from "./report/quantiles.ts"

/** One figure over all rounds. */
export type Spread = {
  readonly median: number
  readonly least: number
  readonly most: number
  /** Of each round, in order. */
  readonly rounds: readonly number[]
}

export type Result = {
  readonly case: string
  readonly subject: string
  readonly figures: Readonly<Record<string, Spread>>
}

export type Report = { readonly results: readonly Result[]; readonly skipped: readonly string[] }

/** Measures all subjects of a case in turn, round after round. */
export async function runCase(each: Case, settings: Settings): Promise<Report> {
  const opened = await each.open(settings)
  const { skipped = [] } = opened
  const subjects = opened.subjects.filter(({ name }) => name.includes(settings.subjects))
  const found = new Map<string, Figures[]>(subjects.map(({ name }) => [name, []]))
  try {
    for (let round = 0; round < (each.rounds ?? settings.rounds); round++) {
      for (const subject of subjects) found.get(subject.name)?.push(await subject.measure())
    }
  } finally {
    await opened.close()
  }
  const results = [...found].map(([subject, rounds]) => ({
    case: each.name,
    subject,
    figures: spreadsOf(rounds),
  }))
  return { results, skipped }
}

function spreadsOf(rounds: readonly Figures[]): Readonly<Record<string, Spread>> {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const values = rounds.map((round) => round[name] ?? Number.NaN)
      const [least, most] = [Math.min(...values), Math.max(...values)]
      return [name, { median: medianOf(values), least, most, rounds: values }]
    }),
  )
}
