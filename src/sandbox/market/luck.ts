import { seededRandom } from "../state/market.ts"

/**
 * A number from 0 up to 1, excluded, that is always the same for the same seed and names: what one order meets doesn't
 * change because another came.
 */
export function luckOf(seed: number, ...names: readonly (string | number)[]): number {
  let mixed = seed >>> 0
  // FNV-1a over the names, each with an end of its own.
  for (const character of `${names.join("|")}|`) {
    mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0
  }
  return seededRandom(mixed)()
}
