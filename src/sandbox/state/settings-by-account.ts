export type AccountSettings = {
  positionMode: "one_way" | "hedge"
  /** By symbol id. */
  readonly leverage: Map<number, number>
  /** Units by symbol id, in the symbol's quote asset. */
  readonly margin: Map<number, bigint>
}

export type SettingsByAccount = Map<string, AccountSettings>
