import { visible } from "../../std/visible.ts"
import { toned } from "../cli/lines.ts"
import type { Finding } from "./finding.ts"

/** Findings for people: the worst can't be missed, and what fixes it stands below it. */
export function findingLines(findings: readonly Finding[]): readonly string[] {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, state, message, fix }) => [
    `${toned(state, tones[state])}${" ".repeat(4 - state.length)}  ${check.padEnd(width)}  ${visible(message)}`,
    ...(fix === null ? [] : [`${" ".repeat(6 + width)}  fix: ${visible(fix)}`]),
  ])
  return [...lines, "", summary(findings)]
}

const tones = { ok: "good", warn: "doubtful", fail: "bad" } as const

function summary(findings: readonly Finding[]): string {
  const failed = findings.filter(({ state }) => state === "fail").length
  const warned = findings.filter(({ state }) => state === "warn").length
  if (failed === 0 && warned === 0) return "All is well."
  return `${failed} failed, ${warned} to look at.`
}
