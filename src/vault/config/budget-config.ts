import * as z from "zod"

/** The venue's rate budgets as they are kept here. Shares in whole percent of each budget. */
export type BudgetConfig = {
  readonly isOn: { readonly address: boolean; readonly ip: boolean }
  /** Of the IP budget: what this host may use of it, in percent. */
  readonly ipPart: number
  /** By client: what it may use whatever others do. */
  readonly shares: ReadonlyMap<string, number>
  /** Of the IP budget; only cancels may use it. */
  readonly cancelReserve: number
}

const onOff = z
  .enum(["on", "off"])
  .default("on")
  .transform((text) => text === "on")

const wholePercent = z
  .string()
  .regex(/^(?:\d{1,2}|100)%$/, "expected a whole percentage like 40%")
  .transform((text) => Number(text.slice(0, -1)))

/** `33%`: others reach the venue from the same IP, and have the rest. */
const onOffOrPart = z.union([onOff, wholePercent.refine((part) => part > 0)], {
  error: "expected on, off or a whole percentage like 33%",
})

const clientName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected a client's name")

/** What is kept for cancels if left out: one request a second of the IP budget. */
const defaultCancelReserve = 5

/** `budgets` of countersign.yaml. */
export const budgetsSetting = z
  .strictObject({
    address: onOff,
    ip: onOffOrPart,
    shares: z.record(clientName, wholePercent).default({}),
    cancel_reserve: wholePercent.default(defaultCancelReserve),
  })
  .prefault({})
  .refine(({ shares, cancel_reserve }) => sumOf(shares) + cancel_reserve <= 100, {
    path: ["shares"],
    message: "shares and cancel_reserve are more than 100% together; lower one of them",
  })
  .transform(({ address, ip, shares, cancel_reserve }): BudgetConfig => ({
    isOn: { address, ip: ip !== false },
    ipPart: typeof ip === "number" ? ip : 100,
    shares: new Map(Object.entries(shares)),
    cancelReserve: cancel_reserve,
  }))

function sumOf(shares: Readonly<Record<string, number>>): number {
  return Object.values(shares).reduce((sum, share) => sum + share, 0)
}
