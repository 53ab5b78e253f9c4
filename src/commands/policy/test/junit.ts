import type { Unreached } from "./coverage.ts"
import type { CaseResult } from "./run-case.ts"
import { placeOf } from "./words.ts"

/** A suite for each file of cases, as JUnit's XML has it; `required` are entries that should have been reached. */
export function junitText(
  results: readonly CaseResult[],
  required: readonly Unreached[] | undefined,
): string {
  const byFile = Map.groupBy(results, (result) => result.case.file)
  const suites = [...byFile].map(([file, own]) => suite(file, own.map(testOf)))
  const coverage =
    required === undefined
      ? []
      : [
          suite(
            "coverage",
            required.map((entry) => ({
              name: `${entry.kind} ${placeOf(entry)}`,
              failure: "no case reaches it",
            })),
          ),
        ]
  const lines = [...suites, ...coverage].flat()
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...lines,
    "</testsuites>",
    "",
  ].join("\n")
}

type Test = { readonly name: string; readonly failure: string | null }

function testOf({ case: { name }, failure }: CaseResult): Test {
  return { name, failure }
}

function suite(name: string, tests: readonly Test[]): readonly string[] {
  const failures = tests.filter(({ failure }) => failure !== null).length
  return [
    `  <testsuite name="${xml(name)}" tests="${tests.length}" failures="${failures}">`,
    ...tests.flatMap((test) => testLines(name, test)),
    "  </testsuite>",
  ]
}

function testLines(suiteName: string, { name, failure }: Test): readonly string[] {
  const head = `    <testcase classname="${xml(suiteName)}" name="${xml(name)}"`
  if (failure === null) return [`${head}/>`]
  return [`${head}>`, `      <failure message="${xml(failure)}"/>`, "    </testcase>"]
}

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
}

/** A text within an attribute. XML 1.0 has no place for other control characters and for halves of a character. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"\n\t]/g, (character) => references[character] ?? "")
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD")
}
