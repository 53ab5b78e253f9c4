// The names of paper keys: `mm.paper` stands for the agent key `mm` at paper's venue. No other key's name may end so.

const ending = ".paper"

/** The paper key that stands for a key. */
export function paperName(key: string): string {
  return `${key}${ending}`
}

/** The key that a paper key stands for; `undefined` for any other key. */
export function standsFor(key: string): string | undefined {
  return key.endsWith(ending) ? key.slice(0, -ending.length) : undefined
}
