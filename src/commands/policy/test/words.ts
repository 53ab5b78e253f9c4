import { table, toned, type Line } from "../../cli/lines.ts"
import type { Unreached } from "./coverage.ts"
import { expectedOf, outcomeText, type CaseResult } from "./run-case.ts"

/** `policy/name (file:line)` */
export function placeOf({ policy, entry, file, line }: Unreached): string {
  return `${policy}/${entry} (${file}:${line})`
}

/** What came of the cases, for people. */
export function resultLines(
  results: readonly CaseResult[],
  unreached: readonly Unreached[],
): readonly Line[] {
  const failed = results.filter(({ failure }) => failure !== null)
  const rows = results.map(({ case: own, got, failure }) => [
    own.name,
    failure === null ? toned("ok", "good") : toned("FAILED", "bad"),
    outcomeText(expectedOf(own)),
    outcomeText(got),
    `${own.file}:${own.line}`,
  ])
  return [
    table(["CASE", "RESULT", "EXPECTED", "GOT", "WHERE"], rows),
    ...failed.flatMap(({ case: own, failure }) => [
      "",
      `${own.file}:${own.line}: ${own.name}: ${failure ?? ""}`,
    ]),
    "",
    `${results.length - failed.length} of ${results.length} cases are as expected.`,
    ...(unreached.length === 0
      ? ["Every rule, deny, hold and limit is reached."]
      : [
          "No case reaches:",
          ...unreached.map((each) => `  ${each.kind.padEnd(5)} ${placeOf(each)}`),
        ]),
  ]
}
