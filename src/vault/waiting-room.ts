import type { Refusal } from "../link/refusal.ts"
import { openBell, type Alarm, type Bell } from "./bell.ts"
import type { Clock } from "./clock.ts"
import type { Place } from "./ledger/budget-line.ts"
import type { Budgets, Spending } from "./ledger/budgets.ts"

/** Calls that wait until the venue's rate budgets have room for them. Each is judged anew when its turn comes. */
export type WaitingRoom = {
  /** Lets a call wait. Its ticket must be left in the end. */
  enter(ask: WaitAsk): Ticket
  /** Nobody waits for the answer of a call any more; tells whether there was one. */
  abandon(call: CallName): boolean
  /** How many wait. */
  size(): number
  /** Has all who wait judged anew now, since what they are judged by has changed. */
  reconsider(): void
  /** Has nobody wait any more. */
  end(): void
}

/** Who calls is known by its token alone. */
export type CallName = { readonly token: string; readonly id: string }
export type WaitAsk = CallName & { readonly ms: number }

/** One call that may wait. */
export type Ticket = {
  readonly place: Place
  /**
   * Waits for what a request was refused for. `again`: it is to be judged anew; `refused`: the refusal stands;
   * `abandoned`: nobody wants its answer any more.
   */
  wait(refusal: Refusal, spending: Spending): Promise<Woken>
  /** Safe to call twice. */
  leave(): void
}

type Woken = "again" | "refused" | "abandoned"

/** How many may wait: all of them together, so that the socket has room for the others, and of one client. */
export const maxWaiting = { inAll: 256, ofClient: 64 }

/** Starts empty. */
export function openWaitingRoom(deps: {
  readonly budgets: Pick<Budgets, "wait" | "leave" | "turns">
  readonly clock: Pick<Clock, "monotonicMs">
  readonly alarm?: Alarm
}): WaitingRoom {
  const { budgets, clock } = deps
  const bell = openBell(clock, deps.alarm)
  const room: Room = { budgets, clock, bell, calls: new Map(), inLine: new Map(), isEnded: false }
  bell.rings = () => callDue(room)
  return {
    enter: ({ ms, ...name }) => {
      const call = newCall(nameOf(name), clock.monotonicMs() + ms)
      room.calls.set(call.name, call)
      return {
        place: call.place,
        wait: (refusal, spending) => wait(room, call, { refusal, spending }),
        leave: () => leave(room, call),
      }
    },
    abandon(name) {
      const call = room.calls.get(nameOf(name))
      if (call === undefined) return false
      call.isAbandoned = true
      wake(call, "abandoned")
      return true
    },
    size: () => room.inLine.size,
    reconsider: () => wakeAll(room),
    end() {
      room.isEnded = true
      bell.silence()
      wakeAll(room)
    },
  }
}

type Room = {
  readonly budgets: Pick<Budgets, "wait" | "leave" | "turns">
  readonly clock: Pick<Clock, "monotonicMs">
  readonly bell: Bell
  readonly calls: Map<string, Call>
  readonly inLine: Map<Place, Call>
  isEnded: boolean
}

type Call = {
  readonly name: string
  readonly place: Place
  /** In monotonic time. */
  readonly untilMs: number
  isAbandoned: boolean
  /** Whose it is, once it is in line. */
  client: string | undefined
  /** Not while it is being judged. */
  sleeper: ((why: Woken) => void) | undefined
}

function newCall(name: string, untilMs: number): Call {
  const asleep = { isAbandoned: false, client: undefined, sleeper: undefined }
  return { name, place: Symbol("place"), untilMs, ...asleep }
}

function nameOf({ token, id }: CallName): string {
  return `${id} ${token}`
}

async function wait(
  room: Room,
  call: Call,
  { refusal, spending }: { readonly refusal: Refusal; readonly spending: Spending },
): Promise<Woken> {
  if (call.isAbandoned) return "abandoned"
  if (!mayWait(room, call, { refusal, client: spending.client })) return "refused"
  room.budgets.wait({ ...spending, place: call.place })
  call.client = spending.client
  room.inLine.set(call.place, call)
  room.bell.ringIn(0)
  return new Promise((resolve) => (call.sleeper = resolve))
}

/** One that waits already goes on to its end; a new one waits where that can help and there is room for it. */
function mayWait(
  { clock, inLine, isEnded }: Room,
  call: Call,
  { refusal, client }: { readonly refusal: Refusal; readonly client: string },
): boolean {
  const inMs = roomInMs(refusal)
  const leftMs = call.untilMs - clock.monotonicMs()
  if (isEnded || inMs === undefined || leftMs <= 0) return false
  if (inLine.has(call.place)) return true
  const own = [...inLine.values()].filter((each) => each.client === client)
  return inMs <= leftMs && inLine.size < maxWaiting.inAll && own.length < maxWaiting.ofClient
}

/** When a rate budget has room again; `undefined` where that is no reason, or never comes. */
function roomInMs(refusal: Refusal): number | undefined {
  const isForRoom = refusal.code === "10029" || refusal.code === "ip_budget_exhausted"
  return isForRoom ? (refusal.data.retry_after_ms ?? undefined) : undefined
}

/** Calls those that have room or no time left, and sets the bell for the next. */
function callDue({ budgets, clock, bell, inLine }: Room): void {
  const nowMs = clock.monotonicMs()
  const { due, nextInMs } = budgets.turns()
  for (const place of due) wake(inLine.get(place), "again")
  for (const call of inLine.values()) {
    if (call.untilMs <= nowMs) wake(call, "again")
    else if (call.sleeper !== undefined) bell.ringIn(call.untilMs - nowMs)
  }
  if (nextInMs !== undefined && inLine.size > 0) bell.ringIn(nextInMs)
}

function leave({ calls, budgets, inLine, bell }: Room, call: Call): void {
  if (calls.get(call.name) === call) calls.delete(call.name)
  budgets.leave(call.place)
  if (inLine.delete(call.place) && inLine.size > 0) bell.ringIn(0)
}

function wakeAll({ inLine }: Room): void {
  for (const call of inLine.values()) wake(call, "again")
}

function wake(call: Call | undefined, why: Woken): void {
  const sleeper = call?.sleeper
  if (call === undefined || sleeper === undefined) return
  call.sleeper = undefined
  sleeper(why)
}
